# Prints values of the outermost object on stdin, one line, separated by tabs, in the order asked for:
# awk -v keys="verdict executions" -f tests/json.awk. Absent and null give "-". Enough of JSON for what
# heddle prints, so that tests need nothing that a fresh machine lacks.
{ text = text $0 "\n" }
END {
    depth = 0; n = length(text); expect_key = 0
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "\"") {
            start = i + 1
            for (i++; i <= n && (c = substr(text, i, 1)) != "\""; i++)
                if (c == "\\") i++
            word = substr(text, start, i - start)
            if (depth != 1) continue
            if (expect_key) { key = word; expect_key = 0 } else if (!(key in value)) value[key] = word
        } else if (c == "{" || c == "[") {
            depth++
            if (depth == 1) expect_key = 1
        } else if (c == "}" || c == "]") {
            depth--
        } else if (c == "," && depth == 1) {
            expect_key = 1
        } else if (depth == 1 && !expect_key && c ~ /[-0-9a-z]/) {
            match(substr(text, i), /^[-+.0-9a-zA-Z]+/)
            if (!(key in value)) value[key] = substr(text, i, RLENGTH)
            i += RLENGTH - 1
        }
    }
    count = split(keys, name, " ")
    for (k = 1; k <= count; k++) {
        v = name[k] in value && value[name[k]] != "null" ? value[name[k]] : "-"
        printf "%s%s", v, k < count ? "\t" : "\n"
    }
}
