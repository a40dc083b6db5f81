#!/usr/bin/env bash
# mutants.sh: tests/random/mutants.sh build OUT makes OUT/heddle_rt.o, the runtime of a copy of the sources in which each
# condition of mutants.list can be switched off by its number, and which serves (serve.c); OUT/names has a number and a name a
# line. tests/random/mutants.sh lines only sees that each line is there; mutants.sh pages writes the lists of conditions in
# doc/proofs, or compares them. The runtime in src/ has no trace of this.
set -u
cd "$(dirname "$0")/../.." || exit 2
list=tests/random/mutants.list
. tests/random/build.sh
rows() { grep -v '^#' $list; }
find_file() { # ROOT FILE CHANGE: FILE, or the one that has the line now
    local path
    if [ -f "$1/$2" ] && ! sed "$3" "$1/$2" | cmp -s - "$1/$2"; then
        echo "$2"
        return
    fi
    find "$1" -name "$(basename "$2")" | while read -r path; do
        sed "$3" "$path" | cmp -s - "$path" || { echo "${path#"$1/"}"; break; }
    done
}
page_of() { # NAME: the page of doc/proofs that states the condition
    case $1 in
    hopeless-* | counters-* | lost-* | doomed-* | returning-*) echo "${1%%-*}" ;;
    sections-* | looks-* | together-*) echo sections ;;
    moved-* | owned-*) echo iterations ;;
    confirm-* | paths-* | passing-* | ordered-* | alike-*) echo confirm ;;
    *) echo waiting ;;
    esac
}
conditions() { # PAGE: its conditions, and a small program that gets a wrong answer without each
    local name file
    echo '## Without each condition'
    echo
    echo 'A program (tests/random/program.h) that gets a wrong answer without the condition: an outcome or a violation is missed, or made up.'
    echo 'This list is written by `tests/random/mutants.sh pages` from the killers of tests/random; each is run with every change.'
    echo
    while IFS='|' read -r name file _; do
        [ "$(page_of "$name")" = "$1" ] || continue
        awk -F'|' -v name="$name" -v file="${file##*/}" '
            $1 != name || said { next }
            { said = 1; printf "- **%s** (%s)", name, file }
            FILENAME ~ /survivors/ { print ($3 ? ": can\x27t be seen: " $3 : ": no program is known, in " $2 " explorations where it decided something") "."; next }
            FILENAME ~ /programs/ { printf ", tests/programs/%s %s\n", $2, $3; next }
            FILENAME ~ /twins/ { printf ", %s, tests/twin/%s.c: `%s`\n", $3, $2, $4; next }
            { text = $0; model = $2; sub(/^[^|]*\|[^|]*\|/, "", text); printf ", %s%s: `%s`\n", model, FILENAME ~ /printed/ ? ", compiled at -O2" : "", text }
        ' tests/random/killers.txt tests/random/killers_printed.txt tests/random/killers_twins.txt tests/random/killers_programs.txt tests/random/survivors.txt
    done < <(rows)
    echo
}
pages() { # WHAT: write them, or only compare
    local page now bad=0
    for page in $(rows | while IFS='|' read -r name _; do page_of "$name"; done | sort -u); do
        now=$(sed '/^## Without each condition$/,/^## References$/{/^## References$/!d}' "doc/proofs/$page.md" |
            while IFS= read -r line; do
                [ "$line" = "## References" ] && conditions "$page"
                printf '%s\n' "$line"
            done)
        if [ "$1" = write ]; then printf '%s\n' "$now" >"doc/proofs/$page.md"
        elif [ "$now" != "$(cat "doc/proofs/$page.md")" ]; then
            echo "doc/proofs/$page.md: its conditions are not those of tests/random (mutants.sh pages)"
            bad=1
        fi
    done
    return $bad
}
case ${1:-} in
pages) pages "${2:-write}" ;;
lines)
    bad=0
    while IFS='|' read -r name file change; do
        [ -n "$(find_file src/guest/explore "$file" "$change")" ] ||
            { echo "$name: src/guest/explore/$file has no such line"; bad=1; }
    done < <(rows)
    exit $bad ;;
build)
    out=$2 number=0
    mkdir -p "$out/tree" && cp -a Makefile VERSION src include "$out/tree" && mkdir -p "$out/tree/build" || exit 1
    for part in rt rt/shared.a; do
        [ -e "build/$part" ] && [ ! -e "$out/tree/build/$part" ] && cp -a "build/$part" "$out/tree/build/$part"
    done
    cp tests/random/mutant.h "$out/tree/src/base/mutant.h"
    cp tests/random/{serve.c,server.h,program.h} "$out/tree/src/guest/harness"
    random_serving src/guest/harness/run.c "$out/tree/src/guest/harness/run.c" || exit 1
    : >"$out/names"
    while IFS='|' read -r name file change; do
        number=$((number + 1))
        path=$out/tree/src/guest/explore/$(find_file "$out/tree/src/guest/explore" "$file" "$change")
        [ -f "$path" ] || { echo "$name: $file has no such line"; exit 1; }
        grep -q base/mutant.h "$path" || sed -i '1i #include "base/mutant.h"' "$path"
        sed -i "${change//@/$number}" "$path"
        grep -q "MUTANT($number," "$path" || { echo "$name: $file has no such line"; exit 1; }
        echo "$number $name" >>"$out/names"
    done < <(rows)
    (cd "$out/tree" && make -s build/rt/rt/shared.a >/dev/null 2>&1; make -n ${CC:+CC="$CC"} build/bare/heddle_rt.o | grep -v "^mkdir" | sed "s/ -O[23]/ -O${LEVEL:-1} -w/g" >make.sh; mkdir -p build/bare; xargs -P"${JOBS:-2}" -I{} sh -c "{}" < <(grep " -c -o " make.sh); sh -e <(grep -v " -c -o " make.sh)) >"$out/log" 2>&1
    [ -f "$out/tree/build/bare/heddle_rt.o" ] || { cat "$out/log"; exit 1; }
    cp "$out/tree/build/bare/heddle_rt.o" "$out/heddle_rt.o" ;;
*)
    echo "usage: mutants.sh build OUT | lines | pages [compare]" >&2; exit 2 ;;
esac
