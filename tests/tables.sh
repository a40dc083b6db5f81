#!/usr/bin/env bash
# tests/tables.sh FOLDER [BUILD]: prints into FOLDER what the tool of the build folder BUILD (build) reads off the machine code of
# tests/programs and of parts of them as objects of somebody else: escapes, instructions to be watched, dead stack bytes. For a
# change that must not change any of it: run it with the tool before and after, with one runtime (HEDDLE_RUNTIME), and
# compare the folders with diff -r. EVERY=5 takes every fifth program.
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || { sed -n 2,6p "$0"; exit 2; }
mkdir -p "$1"
export out=$1 build=${2:-build}
export HEDDLE_RUNTIME=${HEDDLE_RUNTIME:-$PWD/$build/lib/heddle_rt.o}
gcc -O1 -D_GNU_SOURCE -Isrc -Iinclude -o "$out/machine_tables" tests/helpers/machine_tables.c "$build/tool.a" -ldw -lelf -lcapstone -ljansson -lz -lm || exit 1
one() { # FILE
    local name words how
    name=$(tr / - <<<"$1")
    words=$(sed -n 's,^// args: ,,p' "$1" | tr ' ' '\n' | grep -E '^-[DOmsl]' | tr '\n' ' ')
    for how in "--cc=gcc" "--cc=gcc -O2" "--cc=clang" "--cc=clang -O2"; do
        # shellcheck disable=SC2086
        timeout 60 "$out/machine_tables" $how -w $words "$1" >"$out/$name${how//[ =]/}" 2>/dev/null
    done
    case $1 in *.c) driver=gcc ;; *) driver=g++ ;; esac
    for how in -O0 -O2; do
        # shellcheck disable=SC2086
        $driver -w $how $words -c -o "$out/$name.o" "$1" 2>/dev/null || continue
        timeout 60 "$out/machine_tables" -w tests/unseen/nothing.c "$out/$name.o" >"$out/$name.object$how" 2>/dev/null
        rm -f "$out/$name.o"
    done
}
export -f one
# shellcheck disable=SC2016
git ls-files 'tests/programs/*.c' 'tests/programs/*.cpp' 'tests/programs/*.cc' 'tests/unseen/*.c' 'tests/unseen/*.cc' | awk -v every="${EVERY:-1}" 'NR % every == 0' |
    xargs -P "$(nproc)" -I{} bash -c 'one "$1"' _ {}
rm "$out/machine_tables"
cat "$out"/* | awk '{ count[$1]++ } END { for (kind in count) if (kind ~ /^[a-z]+:?$/) printf "%s %d, ", kind, count[kind]; print "" }'
