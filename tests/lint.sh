#!/usr/bin/env bash
# What tools say of our own sources: layout (clang-format), mistakes (clang-tidy, cppcheck), scripts
# (shellcheck). Prints "ok NAME" or "FAIL NAME" with what was found. HEDDLE_NIGHTLY=1 adds clang's analyzer,
# which takes minutes.
set -u
cd "$(dirname "$0")/.." || exit 2
found=$(mktemp)
trap 'rm -f "$found"' EXIT
report() { # NAME STATUS: fails if STATUS is not 0 or anything was written to $found
    if [ "$2" = 0 ] && [ ! -s "$found" ]; then echo "ok $1"; else echo "FAIL $1"; head -n 40 "$found"; fi
}
# VERSION and LIBDIR come from the Makefile: any string will do here
flags='-std=c17 -D_GNU_SOURCE -Isrc -Iinclude -DHEDDLE_VERSION=__FILE__ -DHEDDLE_LIBDIR=__FILE__'

shellcheck -S warning dev .ci/run tests/*.sh bench/*.sh >"$found" 2>&1
report shellcheck $?
# include/ and examples/ are quoted line by line in reports, and clang-format 14 breaks _Generic
git ls-files 'src/*.[ch]' 'tests/unit/*.[ch]' 'tests/fuzz/*.c' 'tests/helpers/*.c' 'tests/twin/*.[ch]' 'bench/*.c' |
    xargs -P2 -n40 clang-format --dry-run -Werror >"$found" 2>&1
report clang-format $?
# shellcheck disable=SC2016
git ls-files 'src/*.c' | xargs -P2 -n20 bash -c 'clang-tidy --quiet "$@" -- '"$flags" _ 2>/dev/null >"$found"
report clang-tidy $?
# comparePointers: the bounds of linker sections are two symbols. internalAstError: cppcheck does not parse
# some macros. uninitvar: it believes that loops over counts above zero may not run; gcc's and clang's
# warnings cover these. incorrectStringBooleanError: ASSERT(!"a message"). autoVariables: a list that lives
# on the caller's stack as long as it is used. The others are idioms of ours on the platforms we support.
suppress=''
for id in comparePointers internalAstError uninitvar incorrectStringBooleanError autoVariables missingInclude \
    CastIntegerToAddressAtReturn compareBoolExpressionWithInt shiftTooManyBitsSigned nullPointerArithmeticRedundantCheck; do
    suppress="$suppress --suppress=$id"
done
# shellcheck disable=SC2086
cppcheck -j2 --quiet --enable=warning,performance,portability --inline-suppr $suppress --std=c11 -Isrc -Iinclude src >"$found" 2>&1
report cppcheck $?
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    git ls-files 'src/*.c' | xargs -P2 -n20 bash -c \
        'clang-tidy --quiet --checks="-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.*" "$@" -- '"$flags" _ \
        2>/dev/null >"$found"
    report clang-analyzer $?
fi
