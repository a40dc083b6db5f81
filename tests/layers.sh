#!/usr/bin/env bash
# Includes and calls follow the path of the data. A room of src/ may include base, record, itself and the
# rooms that stand before it in its own list, and use what they define; rooms below a room (judge/spec,
# tool/report/page) count as that room unless they are listed themselves. Rooms joined by a comma see each
# other. guest and tool never do. What links to what is read off the objects (build/rt, build/tool), if they
# are there: a declaration written by hand, or a name that the C library defines and an entry point replaces, is
# an arrow that no #include shows. No two headers give one name to different types, and
# state that is ten variables of a file hangs from a struct; a module of guest/explore exports no variable but one struct, and
# those that tests/variables.known lists with a reason. How large a room or a file may be is judged in review.
# guest/explore has rooms of its own, in this order: arrows between them that go the wrong way are listed in
# tests/layers.known, exactly, and that list only gets shorter.
# Where the build is older than a source, its objects show only some of the arrows: what is found is wrong all the same, but
# nothing is said to be gone.
# The modules of src (a file with its header) that need each other to be linked, in a circle, or that include each other:
# the largest circle of either kind has at most so many as `circle` says below. --circles [includes] prints all of two and more.
set -u
cd "$(dirname "$0")/.." || exit 2
shared="base record judge/history judge/spec judge/linear,judge/quasi judge/isolation judge/graph judge/library"
explore="guest/explore/graph guest/explore/graph/models guest/explore/memory guest/explore/search guest/explore/facts"
explore="$explore guest/explore/reduce guest/explore/scale guest/explore/schedules guest/explore"
guest="$shared guest/runtime $explore guest/entry guest/states guest/harness"
tool="$shared model refine prove tool/instrument tool/answer tool/report tool/cli"
circle=8
whole=0 # is the build that of these sources?
[ ! -e build/heddle ] || [ ! -e build/lib/heddle_rt.o ] || [ -n "$(find src \( -newer build/heddle -o -newer build/lib/heddle_rt.o \) -type f -print -quit)" ] || whole=1
found=$(mktemp) && arrows=$(mktemp) && wrong=$(mktemp) && variables=$(mktemp) && trap 'rm -f "$found" "$arrows" "$wrong" "$variables"' EXIT

includes() { # FROM TO includes "TO": both below src/
    grep -rHo '^#include "[a-z_0-9]*/[^"]*"' src | sed -E 's/^src\/([^:]*):#include "([^"]*)"$/\1 \2 includes "\2"/'
}
objects() { # build/SIDE: not objects of sources that are gone, nor older than theirs
    find src -name '*.[cS]' | while read -r source; do
        object=$1/${source#src/}.o
        [ ! "$object" -nt "$source" ] || echo "$object"
    done
}
statics() { # build/SIDE: files with ten or more variables of their own; not those inside functions, nor constants
    objects "$1" | xargs -r nm -A -f sysv | awk -F'|' -v side="$1/" '
        { section = $NF; name = $1; gsub(/ /, "", section); gsub(/ /, "", name) }
        $3 ~ /[bd]/ && section ~ /^\.(bss|data)/ && section !~ /^\.data\.rel\.ro/ {
            split(name, part, ":")
            if (part[2] !~ /\./)
                count[part[1]]++
        }
        END {
            for (object in count)
                if (count[object] >= 10)
                    print "src/" substr(object, length(side) + 1, length(object) - length(side) - 2) " has " count[object] " static variables: ten are a struct"
        }'
}
exported() { # variables of guest/explore that other files change: hooks for layers above, one struct of state a module, and
    # what tests/variables.known lists with a reason
    objects build/rt | grep '^build/rt/guest/explore/' | xargs -r nm -A -g -f sysv | awk -F'|' '
        { section = $NF; name = $1; gsub(/ /, "", section); gsub(/ /, "", name) }
        $3 ~ /[BDC]/ && section !~ /^\.data\.rel\.ro/ && name !~ /_hooks$/ {
            split(name, part, ":")
            print substr(part[1], 10, length(part[1]) - 13), part[2] # MODULE NAME
        }' | sort >"$variables"
    awk -v whole=$whole 'FILENAME ~ /known$/ {
            if ($0 !~ /^#/)
                for (i = 2; i <= NF && $i != "--"; i++)
                    known[$1 " " $i] = 1
            next
        }
        $0 in known { delete known[$0]; next }
        { names[$1] = names[$1] " " $2; count[$1]++ }
        END {
            for (module in count)
                if (count[module] > 1)
                    print "src/" module " exports" names[module] ": one struct holds the state of a module (tests/variables.known)"
            for (name in known)
                if (whole)
                    print "tests/variables.known lists what is gone: " name
        }' tests/variables.known "$variables"
}
references() { # build/SIDE, 1 if it is the tool: FROM TO uses NAME, for what one object defines and another one needs
    objects "$1" | xargs -r nm -A -g | sed -E "s|^$1/||; s/\.o:/ /" | awk -v tool="$2" '
        NF == 3 { needs[++n] = $1 " " $3 }
        NF == 4 && $3 ~ /[TDBRVWGSC]/ { by[$4] = $1 }
        END { # what is linked: everything of the tool; the guest, and what that needs
            for (i = 1; i <= n; i++) {
                split(needs[i], pair, " ")
                linked[pair[1]] = tool || pair[1] ~ /^guest\//
            }
            for (again = 1; again;) {
                again = 0
                for (i = 1; i <= n; i++) {
                    split(needs[i], pair, " ")
                    if (linked[pair[1]] && (pair[2] in by) && !linked[by[pair[2]]])
                        linked[by[pair[2]]] = again = 1
                }
            }
            for (i = 1; i <= n; i++) {
                split(needs[i], pair, " ")
                if (linked[pair[1]] && (pair[2] in by) && by[pair[2]] != pair[1])
                    print pair[1], by[pair[2]], "uses", pair[2] " of " by[pair[2]]
            }
        }'
}

for side in build/rt build/tool; do
    [ ! -d "$side" ] || statics "$side"
done | sort -u >"$found"
# a type of a header means one thing everywhere; the same header may declare and define it
grep -rHoE '^(\} [A-Z][A-Za-z0-9]*;|typedef (struct|enum|union) [A-Za-z0-9]+ [A-Z][A-Za-z0-9]*;)' src --include='*.h' |
    sed -E 's/:.* ([A-Z][A-Za-z0-9]*);$/ \1/' | sort -u | awk '
        ($2 in header) { print "the type " $2 " is declared in " header[$2] " and in " $1 }
        { header[$2] = $1 }' >>"$found"
{
    includes
    [ ! -d build/rt ] || references build/rt 0
    [ ! -d build/tool ] || references build/tool 1
} >"$arrows"
circles() { # uses or includes: each circle of modules that need each other so, largest first: SIZE MODULES
    awk -v kind="$1" '$3 == kind {
            from = $1; to = $2
            sub(/\.[chS]$/, "", from); sub(/\.[chS]$/, "", to)
            if (from != to && !((from, to) in seen)) {
                seen[from, to] = 1
                next_of[from] = next_of[from] " " to
                module[from] = module[to] = 1
            }
        }
        function walk(from,    todo, n, i, k, words, at) { # all that FROM needs, itself too if a way leads back
            n = split(next_of[from], todo, " ")
            for (i = 1; i <= n; i++) {
                at = todo[i]
                if ((from, at) in reach)
                    continue
                reach[from, at] = 1
                split("", words)
                for (k = split(next_of[at], words, " "); k > 0; k--)
                    if (!((from, words[k]) in reach))
                        todo[++n] = words[k]
            }
        }
        END {
            for (m in module)
                walk(m)
            for (m in module) {
                if (m in done || !((m, m) in reach))
                    continue
                size = 0; text = ""
                for (k in module)
                    if ((m, k) in reach && (k, m) in reach) {
                        done[k] = 1
                        size++
                        text = text " " k
                    }
                print size text
            }
        }' "$arrows" | sort -rn
}
if [ "${1:-}" = --circles ]; then
    circles "${2:-uses}"
    exit 0
fi
{
    [ ! -d build/rt ] || exported
    for kind in uses includes; do # uses are seen in the objects alone
        [ $kind = includes ] || [ -d build/rt ] || continue
        circles $kind | awk -v most=$circle -v kind=$kind 'NR == 1 && $1 > most {
            print $1 " modules need each other, in a circle (tests/layers.sh --circles " kind "): at most " most " may" }'
    done
} >>"$found"
awk -v guest="$guest" -v tool="$tool" -v wrong="$wrong" -v built="$([ ! -d build/tool ]; echo $?)" '
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
        how = substr($0, length($1) + length($2) + 3)
        arrows[$3]++
        # shared code that reaches into the guest is judged by the list of the guest
        if ($1 ~ /^guest\// || $2 ~ /^guest\//) { from = room($1, in_guest); to = room($2, in_guest); f = in_guest[from]; t = in_guest[to] }
        else { from = room($1, in_tool); to = room($2, in_tool); f = in_tool[from]; t = in_tool[to] }
        if (from == "")
            print "src/" $1 " is in no room that tests/layers.sh knows"
        else if (to == "")
            print "src/" $1 " " how ", which " from " must not see"
        else if (t > f && from ~ /^guest\/explore/ && to ~ /^guest\/explore/) {
            sub(/\.[chS]$/, "", $1); sub(/\.[chS]$/, "", $2)
            print $1, $2 >wrong
        } else if (t > f)
            print "src/" $1 " " how ": " to " stands after " from " on the path of the data"
    }
    END {
        if (!arrows["includes"] || (built && !arrows["uses"]))
            print "no arrow was found: tests/layers.sh itself is wrong"
    }' "$arrows" | sort -u >>"$found"
if [ -d build/rt ]; then # else not all of them are seen
    grep -v '^#' tests/layers.known | sort | comm -13 - <(sort -u "$wrong") |
        sed 's/^\(.*\) \(.*\)$/src\/\1 needs src\/\2, which stands after it in guest\/explore/'
    [ $whole = 0 ] || grep -v '^#' tests/layers.known | sort | comm -23 - <(sort -u "$wrong") |
        sed 's/^/tests\/layers.known lists what is gone: /'
fi >>"$found"
cat "$found"
[ ! -s "$found" ]
