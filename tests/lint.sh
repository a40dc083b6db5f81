#!/usr/bin/env bash
# What tools say of our own sources: layout (clang-format), mistakes (clang-tidy, cppcheck), scripts
# (shellcheck). Prints "ok NAME" or "FAIL NAME" with what was found. HEDDLE_LINT=short leaves out cppcheck, which
# takes longer than all others together. HEDDLE_NIGHTLY=1 adds clang's analyzer and every configuration of
# cppcheck, which take minutes.
set -u
cd "$(dirname "$0")/.." || exit 2
found=$(mktemp)
trap 'rm -f "$found"' EXIT
report() { # NAME STATUS: fails if STATUS is not 0 or anything was written to $found
    if [ "$2" = 0 ] && [ ! -s "$found" ]; then echo "ok $1"; else echo "FAIL $1"; head -n 40 "$found"; fi
}
# what the Makefile computes: any string or number will do here
flags='-std=c17 -D_GNU_SOURCE -Isrc -Iinclude -DHEDDLE_VERSION=__FILE__ -DHEDDLE_LIBDIR=__FILE__ -DLINK_VERSION=1u'

# One place opens what a path names (base/file.h): it is bounded, never waits and follows no link to write. What is mapped
# is memory of our own, or a descriptor that base/file.c has opened. The guest opens what its program asks for.
git ls-files 'src/*.c' | grep -vE '^src/(guest/|base/file\.c)' | xargs grep -nE '\b(open|open64|openat|openat2|creat|fopen|fopen64|freopen|opendir|fdopendir|gzopen|json_load_file|json_dump_file)\(' |
    grep -vE 'open\("/dev/null", |->open\(' >"$found"
git ls-files 'src/*.c' | grep -vE '^src/guest/' | xargs grep -nA1 '\bmmap(' | grep -E 'mmap\(' | grep -v MAP_ANONYMOUS |
    grep -vE '^src/(tool/cli/scale/facts|tool/cli/session/mapping|tool/instrument/machine/pauses|tool/cli/history/watch|tool/cli/history/work|tool/cli/weaken/tries|base/[a-z]+)\.c' >>"$found"
report 'one opener' 0
# One function prints text from outside (base/print.h): no other way of printing to a terminal takes a string.
git ls-files 'src/tool/*.c' | grep -vE '/(cmd_completion|cmd_cc)\.c$' | xargs perl -0777 -ne '
    while (/(?<![a-z_])(fprintf\((?:stderr|stdout)\b|printf\()((?:"(?:[^"\\]|\\.)*"|[^;"])*);/g) {
        my ($at, $call) = (pos, $1 . $2);
        print "$ARGV:", 1 + (substr($_, 0, $at) =~ tr/\n//), ": $call\n" if $call =~ /%[-*.0-9]*s/;
    }' >"$found"
report 'one printer' 0
shellcheck -S warning dev .ci/run tests/*.sh bench/*.sh >"$found" 2>&1
report shellcheck $?
# include/ and examples/ are quoted line by line in reports, and clang-format 14 breaks _Generic
git ls-files 'src/*.[ch]' 'tests/unit/*.[ch]' 'tests/fuzz/*.c' 'tests/helpers/*.c' 'tests/twin/*.[ch]' 'bench/*.c' |
    xargs -P2 -n40 clang-format --dry-run -Werror >"$found" 2>&1
report clang-format $?
# Twenty files that were clean are looked at again when one of them, a header that they include, the flags or the rules
# have changed: build/lint keeps a hash of these. The headers are those of the last build. Files of the other processor need
# headers of its C library, which are not here.
mkdir -p build/lint
rules=$(cat .clang-tidy tests/lint.sh <(clang-tidy --version) | cksum)
tidy() { # FILE...: one clang-tidy for all of them, since half its time is its own start
    local file list kept hash seen lists=() known=1
    for file; do
        seen=0
        for list in "build/tool/${file#src/}.d" "build/rt/${file#src/}.d"; do
            [ ! -e "$list" ] || { lists+=("$list"); seen=1; }
        done
        [ $seen = 1 ] || known=0
    done
    kept=build/lint/$(cksum <<<"$*" | tr ' ' _)
    # shellcheck disable=SC2046
    hash="$rules $(cat "$@" $(cat /dev/null "${lists[@]}" | tr ' \\' '\n\n' | grep '^src/.*[^:]$' | sort -u) 2>/dev/null | cksum)"
    [ $known = 1 ] && [ "$(cat "$kept" 2>/dev/null)" = "$hash" ] && return 0
    # shellcheck disable=SC2086
    clang-tidy --quiet "$@" -- $flags 2>/dev/null || return 1
    echo "$hash" >"$kept"
}
export -f tidy
export rules flags
# shellcheck disable=SC2016
git ls-files 'src/*.c' | grep -v /aarch64/ | xargs -P2 -n20 bash -c 'tidy "$@"' _ >"$found"
report clang-tidy $?
if [ "${HEDDLE_LINT:-}" = short ]; then exit 0; fi
# comparePointers: the bounds of linker sections are two symbols. internalAstError: cppcheck does not parse
# some macros. uninitvar: it believes that loops over counts above zero may not run; gcc's and clang's
# warnings cover these. incorrectStringBooleanError: ASSERT(!"a message"). autoVariables: a list that lives
# on the caller's stack as long as it is used. The others are idioms of ours on the platforms we support.
suppress=''
for id in comparePointers internalAstError uninitvar incorrectStringBooleanError autoVariables missingInclude \
    CastIntegerToAddressAtReturn compareBoolExpressionWithInt shiftTooManyBitsSigned nullPointerArithmeticRedundantCheck; do
    suppress="$suppress --suppress=$id"
done
mkdir -p build/lint/cppcheck # what it knows of files that have not changed
configurations=--max-configs=1 # as we compile; HEDDLE_NIGHTLY=1 looks at the other branches of #if as well
[ -z "${HEDDLE_NIGHTLY:-}" ] || configurations=--force
# shellcheck disable=SC2086
cppcheck -j2 $configurations --cppcheck-build-dir=build/lint/cppcheck --quiet --enable=warning,performance,portability --inline-suppr $suppress --std=c11 -Isrc -Iinclude src >"$found" 2>&1
report cppcheck $?
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    git ls-files 'src/*.c' | xargs -P2 -n20 bash -c \
        'clang-tidy --quiet --checks="-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.*" "$@" -- '"$flags" _ \
        2>/dev/null >"$found"
    report clang-analyzer $?
fi
