#!/usr/bin/env bash
# A file that a comment of src/ names must exist: as a path of the repository or the end of one. Names in quotes
# (examples of what a user writes) and in angle brackets (headers of others) are not looked at. And a comment names its
# subject: one that stands before code does not begin with "Of", "As", "The same" or "What". ARCHITECTURE.md names every
# source file: `file`, `folder/file`, `file.h`, `begin*` or `folder/*`.
set -u
cd "$(dirname "$0")/.." || exit 2
found=$(mktemp) && trap 'rm -f "$found"' EXIT
{
    git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f | sed 's|^\./||'
    echo "--"
    find src -name '*.[chS]'
} | awk '
    $0 == "--" { sources = 1; next }
    !sources { # every end of the path is a name of the file
        path = $0
        for (exists[path] = 1; sub(/^[^\/]*\//, "", path);)
            exists[path] = 1
        next
    }
    {
        file = $0
        text = ""
        inside = number = 0
        while ((getline line <file) > 0) {
            number++
            if (!inside && line ~ /^[ \t]*\/\* (Of|As|The same|What)[ ,;:]/)
                print file ":" number " begins a comment without a subject: " line
            for (rest = line; rest != "";) {
                if (inside) {
                    at = index(rest, "*/")
                    text = text (at ? substr(rest, 1, at - 1) : rest)
                    rest = at ? substr(rest, at + 2) : ""
                    inside = !at
                } else {
                    at = index(rest, "/*")
                    rest = at ? substr(rest, at + 2) : ""
                    inside = at > 0
                }
            }
            text = text "\n"
        }
        close(file)
        gsub(/"[^"]*"/, " ", text)
        gsub(/<[^>]*>/, " ", text)
        while (match(text, /[A-Za-z0-9_.\/-]*[A-Za-z0-9_]\.(c|h|S|cc|cpp|sh|md|py|awk|hm|csv)[^A-Za-z0-9_(]/)) {
            name = substr(text, RSTART, RLENGTH - 1)
            text = substr(text, RSTART + RLENGTH - 1)
            if (name !~ /^\// && !(name in exists))
                print file " names " name " in a comment: there is no such file"
        }
    }' | sort -u >"$found"
find src -name '*.[ch]' | awk '
    FILENAME != "-" { # words in backticks, outside of blocks of code
        if (/^```/)
            block = !block
        if (block)
            next
        n = split($0, part, "`")
        for (i = 2; i <= n; i += 2) {
            m = split(part[i], word, /[ ,()]+/)
            for (k = 1; k <= m; k++) {
                folder = word[k]
                if (sub(/\/\*$/, "", folder))
                    whole[folder] = 1
                sub(/.*\//, "", word[k])
                sub(/\.h$/, "", word[k])
                if (sub(/\*$/, "", word[k]) && word[k] != "")
                    begins[word[k]] = 1
                named[word[k]] = 1
            }
        }
        next
    }
    {
        file = folder = $0
        sub(/\/[^\/]*$/, "", folder)
        sub(/.*\//, "", file)
        sub(/(_internal|_private)?\.[ch]$/, "", file)
        known = file in named
        for (b in begins)
            known = known || index(file, b) == 1
        for (w in whole)
            known = known || substr(folder, length(folder) - length(w)) == "/" w
        if (!known)
            print "ARCHITECTURE.md does not name " $0
    }' ARCHITECTURE.md - >>"$found"
cat "$found"
[ ! -s "$found" ]
