#!/usr/bin/env bash
# Suites with bad input once more, the tool being built with AddressSanitizer, LeakSanitizer and
# UndefinedBehaviorSanitizer: whatever one of them says is a failure. Whether the suites pass is not asked here: some
# limit memory, of which a sanitized program needs terabytes. `tests/sanitized.sh [SUITE...]`; ./dev nightly runs it.
set -u
cd "$(dirname "$0")/.." || exit 2
suites='40_history 50_bad_input 52_attack 56_command_line 60_refine 63_project 65_replay 72_check_input 74_observations 74_weaken 75_annotations 80_prove'
if [ "${1:-}" = --names ]; then printf '%s\n' $suites; exit 0; fi
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $suites
make -s -j"$(nproc)" && make -s -j"$(nproc)" variant=asan build-asan/heddle || exit 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/build" "$work/said"
for entry in *; do case $entry in build*) ;; *) ln -s "$PWD/$entry" "$work/tree/$entry" ;; esac; done
for entry in build/*; do case $entry in build/heddle) ;; *) ln -s "$PWD/$entry" "$work/tree/$entry" ;; esac; done
cp build-asan/heddle "$work/tree/build/heddle"
export ASAN_OPTIONS=exitcode=0:log_path=$work/said/asan LSAN_OPTIONS=exitcode=0 UBSAN_OPTIONS=print_stacktrace=1:log_path=$work/said/ubsan
unset HEDDLE_NIGHTLY
export KILLS=0
bad=0
for suite in "$@"; do
    (cd "$work/tree" && timeout 1800 tests/run.sh "$suite") >"$work/out" 2>&1
    count=$(grep -oE '^[0-9]+ passed' "$work/out" | head -n 1)
    # where a test leaves no memory for a sanitizer, or forbids what it needs, it has nothing to say
    grep -rlE 'failed to allocate|Shadow memory range|ReserveShadowMemory|LeakSanitizer has encountered a fatal error' "$work/said" | xargs -r rm -f
    said=$(find "$work/said" -type f | wc -l)
    if [ "$said" = 0 ]; then
        echo "ok sanitized $suite (${count:-$(tail -n 1 "$work/out")})"
    else
        bad=1
        echo "FAIL sanitized $suite: the sanitizers speak $said times"
        for file in "$work"/said/*; do grep -hE 'ERROR:|runtime error|^    #[1-6] ' "$file" | head -n 8; done | sed 's/0x[0-9a-f]*//g' | awk '/ERROR|error/ { n++ } n <= 6'
        rm -f "$work"/said/*
    fi
done
exit $bad
