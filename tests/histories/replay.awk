# replay.awk: what `heddle history --json' says of violated histories, checked by itself: every order that it shows must
# be a run of the specification (register:0, fifo or cas-register), operation by operation with the results that are shown, and
# keep the order of operations that did not overlap. -v spec=fifo. Prints the number of orders, then each that is wrong.
function member(text, key,    at) {
    at = match(text, "\"" key "\": (\"([^\"\\\\]|\\\\.)*\"|[^,}]*)")
    if (!at) return ""
    text = substr(text, RSTART, RLENGTH); sub(/^"[^"]*": /, "", text); gsub(/^"|"$/, "", text); gsub(/\\"/, "\"", text)
    return text
}
function follow(name, argument, result) { # 0: no run
    if (spec == "register:0") {
        if (name == "write") { held = argument; return 1 }
        return result == "" || result == held
    }
    if (spec == "cas-register") { # what is pending may have done anything that it can
        if (name == "write") { held = argument; return 1 }
        if (name == "read") return result == "" || result == held
        split(argument, pair, /, */); sub(/^\[/, "", pair[1]); sub(/\]$/, "", pair[2])
        if (result == "false" || result == "fail") return held != pair[1]
        if (held != pair[1]) return pending
        held = pair[2]; return 1
    }
    if (spec == "fifo") {
        if (name ~ /^(enq|put|enqueue)$/) { queue[++last] = argument; return 1 }
        if (first == last) return result == "" || result == "none" || result == "empty"
        if (result != "" && result != queue[first + 1]) return 0
        first++; return 1
    }
    return -1
}
{
    n = split($0, results, /"verdict": /)
    for (r = 3; r <= n; r++) { # 1 and 2: the head
        if (!match(results[r], /"orders": \[/)) continue
        rest = substr(results[r], RSTART + RLENGTH)
        m = split(rest, order, /\{"order": \[/)
        for (o = 2; o <= m; o++) {
            orders++
            text = order[o]; sub(/\], "state":.*/, "", text)
            held = spec == "register:0" ? 0 : "nil"; first = last = 0; wrong = ""
            k = split(text, op, /\}, \{/)
            for (i = 1; i <= k && text != ""; i++) {
                words = member(op[i], "operation"); called[i] = member(op[i], "called"); returned[i] = member(op[i], "returned")
                name = words; sub(/\(.*/, "", name)
                argument = words; sub(/^[^(]*\(/, "", argument); sub(/\).*/, "", argument)
                result = ""; if (words ~ /\) -> /) { result = words; sub(/.*\) -> /, "", result) }
                gsub(/"/, "", result) # "empty"
                if (result == "?") result = ""
                pending = returned[i] == "null"
                if (follow(name, argument, result) != 1) wrong = wrong " " words
                for (j = 1; j < i; j++)
                    if (returned[i] != "null" && returned[i] + 0 < called[j] + 0) wrong = wrong " (real time: " words ")"
            }
            if (wrong != "") print "wrong:" wrong " in " text
        }
    }
}
END { print orders + 0 " orders" }
