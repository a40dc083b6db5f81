# Whole programs with their expected verdict in the first line, with gcc and clang:
#   // expect: holds | inconclusive [KIND] | violated KIND [or ...]
#   // expect with gcc: the same, in the second line, where the compilers differ
#   // args: --model=sc -O1        more arguments of heddle run
#   // executions: 6               where it can be derived
#   // only if: EXPRESSION         of the preprocessor, after #include <version>: skipped elsewhere
# A failure prints the command that repeats it. PROGRAMS=REGEX chooses programs by path, COMPILERS="clang-16 gcc-11" the
# compilers, of which each gets all programs (with EVERY=3 and the like every third). clang gets all
# programs with HEDDLE_NIGHTLY=1, else every eighteenth one; so does gcc once more with every execution run from the
# start (gcc+again: verdicts only, since equal threads are told apart there), else every twentieth. Of other versions of the
# compilers that are installed (clang-19, gcc-11) the newest clang gets what depends on the version, with HEDDLE_NIGHTLY=1 each
# gets all.
# builds: kept
. tests/share.sh
[ -x build/heddle ] || { echo "skip programs: build/heddle is not there"; exit 0; }

program() { # compiler, file
    local cc=${1%+again} file=$2 expect args='' executions='' answer status got v kind e reason only='' line lines
    mapfile -t lines <"$file"
    for line in "${lines[@]}"; do
        case $line in
        '// args: '*) args="${args:+$args }${line#// args: }" ;;
        '// executions: '*) executions=${line#// executions: } ;;
        '// only if: '*) only=${line#// only if: } ;;
        esac
    done
    if [ -n "$only" ] && ! printf '#include <version>\n#if !(%s)\n#error\n#endif\n' "$only" |
        "$cc" -x c++ -std=c++20 -fsyntax-only - 2>/dev/null; then
        echo "skip $file ($1): not $only"
        return
    fi
    expect=${lines[0]#// expect: }
    local family=${cc%-[0-9]*}
    [[ ${lines[1]} != "// expect with ${family##*-}: "* ]] || expect=${lines[1]#*: }
    [ "$cc" = "$1" ] || { args="$args --checkpoints=never" executions=; }
    # shellcheck disable=SC2086
    answer=$(timeout 60 build/heddle run --json --quiet --no-record --no-repair --time=30s "--cc=$cc" $args "$file" \
        2>"$scratch/$1.${file##*/}")
    status=$?
    IFS=$'\t' read -r v kind e reason \
        <<<"$(awk -v keys="verdict violation executions reason" -f tests/json.awk <<<"$answer")"
    got=$v; [ "$kind" = - ] || got="$v $kind"
    local command="build/heddle run --cc=$cc ${args:+$args }$file"
    if [[ " or $expect or " != *" or $got or "* ]]; then
        [ "$v" = - ] && reason="exit status $status: $(head -n 2 "$scratch/$1.${file##*/}" | tr '\n' ' ')"
        echo "FAIL $file: $got instead of $expect${reason:+ ($reason)}: $command"
    elif [ -n "$executions" ] && [ "$e" != "$executions" ]; then
        echo "FAIL $file: $e executions instead of $executions: $command"
    elif case $v in holds) [ "$status" != 0 ] ;; violated) [ "$status" != 1 ] ;; *) [ "$status" != 3 ] ;; esac; then
        echo "FAIL $file: exit status $status for $got: $command"
    else
        echo "ok $file ($1)"
    fi
}
export -f program
# Installed versions that are not what `gcc' and `clang' mean, the newest clang first.
other_compilers() {
    local name
    for name in clang-{25..14} gcc-{16..11}; do
        command -v "$name" >/dev/null && command -v "${name/#gcc/g++}" >/dev/null || continue
        [ "$("$name" -dumpversion)" = "$("${name%-*}" -dumpversion 2>/dev/null)" ] || echo "$name"
    done
}
by_version='/(struct_copy|struct_copy_racing|poll_acquire|sixteen_bytes|cxx_structure_exchanged|returned_structure_optimised|wide_copy_torn)[.]'
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT; export scratch

files=$(printf '%s\n' tests/programs/correct/*.c* tests/programs/wrong/*.c* | grep -E -e "${PROGRAMS:-.}")
# shellcheck disable=SC2086
awk 'FNR == 1 && !/^\/\/ expect: (holds|inconclusive( [a-z-]+)?|violated [a-z-]+)( or (holds|inconclusive( [a-z-]+)?|violated [a-z-]+))*$/ {
    print "FAIL " FILENAME ": its first line does not say what to expect" }' $files </dev/null
# By day one correct and one wrong program for each part of the C++ library: what takes the time is its headers. A part
# is what the first two words of a name say.
one_a_part() {
    if [ -n "${HEDDLE_NIGHTLY:-}${PROGRAMS:-}" ]; then cat; return; fi
    awk -F/ '{ part = $NF; if (part !~ /^cxx_/) { print; next }
        split(part, word, /[_.]/); if (!seen[$(NF - 1), word[2]]++) print }'
}
{
    if [ -n "${COMPILERS:-}" ]; then
        for cc in $COMPILERS; do for file in $files; do echo "$cc $file"; done | awk -v every="${EVERY:-1}" 'NR % every == 0'; done
        exit
    fi
    printf '%s\n' $files | one_a_part | sed 's/^/gcc /'
    if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
        for cc in $(other_compilers); do for file in $files; do echo "$cc $file"; done; done
    else
        cc=$(other_compilers | grep -m 1 clang) && grep -E "$by_version" <<<"$files" | sed "s/^/$cc /"
    fi
    for file in $files; do echo "clang $file"; done | { if [ -n "${HEDDLE_NIGHTLY:-}${PROGRAMS:-}" ]; then cat; else awk 'NR % 18 == 1'; fi; }
    for file in $files; do echo "gcc+again $file"; done | { if [ -n "${HEDDLE_NIGHTLY:-}${PROGRAMS:-}" ]; then cat; else awk 'NR % 20 == 3'; fi; }
    [ -n "$(other_compilers)" ] || echo "skip other versions of compilers: there are none" >&2
} | share_of | xargs -P "$(nproc)" -L 1 bash -c 'program "$1" "$2"' _
