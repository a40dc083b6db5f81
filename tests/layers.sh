#!/usr/bin/env bash
# Includes follow the path of the data. A room of src/ may include base, record, itself and the rooms that
# stand before it in its own list; rooms below a room (judge/spec, tool/report/page) count as that room
# unless they are listed themselves. Rooms joined by a comma see each other. guest and tool never do.
set -u
cd "$(dirname "$0")/.." || exit 2
shared="base record judge/history judge/spec judge/linear,judge/quasi judge/graph judge/library"
guest="$shared guest/runtime guest/explore guest/entry guest/states guest/harness"
tool="$shared model refine prove tool/instrument tool/answer tool/report tool/cli"

find src -type d | while read -r folder; do
    files=$(find "$folder" -maxdepth 1 -type f | wc -l)
    [ "$files" -le 45 ] || echo "$folder has $files files: more than 45 are two rooms"
done >build/layers.txt
grep -rHo '^#include "[a-z_0-9]*/[^"]*"' src | sed 's/^src\///; s/:#include "/ /; s/"$//' |
    awk -v guest="$guest" -v tool="$tool" '
        function room(path, list,    at, best) { # the longest listed room that holds the path
            best = ""
            for (at in list)
                if (index(path, at "/") == 1 && length(at) > length(best))
                    best = at
            return best
        }
        function fill(list, text,    words, equals, n, m, i, k) {
            n = split(text, words, " ")
            for (i = 1; i <= n; i++) {
                m = split(words[i], equals, ",")
                for (k = 1; k <= m; k++)
                    list[equals[k]] = i
            }
        }
        BEGIN { fill(in_guest, guest); fill(in_tool, tool) }
        {
            if ($1 ~ /^guest\//) { from = room($1, in_guest); to = room($2, in_guest); f = in_guest[from]; t = in_guest[to] }
            else { from = room($1, in_tool); to = room($2, in_tool); f = in_tool[from]; t = in_tool[to] }
            if (from == "")
                print "src/" $1 " is in no room that tests/layers.sh knows"
            else if (to == "")
                print "src/" $1 " includes \"" $2 "\", which " from " must not see"
            else if (t > f)
                print "src/" $1 " includes \"" $2 "\": " to " stands after " from " on the path of the data"
        }' >>build/layers.txt
cat build/layers.txt
[ ! -s build/layers.txt ]
