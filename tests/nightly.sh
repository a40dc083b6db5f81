#!/usr/bin/env bash
# Everything that takes too long for every change: the suites with their large counts (HEDDLE_NIGHTLY=1), the
# oracle with a debug runtime and with the runtime compiled by clang, mutants of the explorer, notions against
# their twins, tests with their threads in any order, bad input under sanitizers, a fresh root from git clone and with the packages, the
# benchmarks. Prints one table; what each part printed is in build/nightly/. Takes hours on two cores.
# `tests/nightly.sh PART...` runs some parts.
set -u
cd "$(dirname "$0")/.." || exit 2
export HEDDLE_NIGHTLY=1
mkdir -p build/nightly
bad=0
part() { # NAME COMMAND...
    local name=$1 start=$SECONDS status
    shift
    [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]] && return
    "$@" >"build/nightly/$name.txt" 2>&1
    status=$?
    printf '%-12s %-6s %6d s  %s\n' "$name" "$([ $status = 0 ] && echo ok || echo FAIL)" $((SECONDS - start)) \
        "$(tail -n 1 "build/nightly/$name.txt" | cut -c1-70)"
    [ $status = 0 ] || bad=1
}
debug_oracle() {
    make -s -j"$(nproc)" variant=debug || return 1
    HEDDLE=build-debug/heddle tests/oracle.sh && HEDDLE=build-debug/heddle tests/oracle.sh --cc=clang
}
clang_build() {
    make -s -j"$(nproc)" variant=clang CC=clang FLAGS_clang=-O2 all unit || return 1
    HEDDLE=build-clang/heddle tests/oracle.sh
}
wanted=("$@")
part suites tests/run.sh
part debug debug_oracle
part clang clang_build
part mutants tests/mutants.sh
part sanitized tests/sanitized.sh
part clone tests/fresh_root.sh clone
part packages tests/fresh_root.sh packages
part systems tests/systems.sh
part aarch64 tests/aarch64.sh
part recipes tests/recipes.sh
part notions tests/notions.sh
part orders tests/both_ways.sh orders
part programs tests/every_program.sh
part bench bench/run.sh
exit $bad
