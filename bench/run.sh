#!/usr/bin/env bash
# ./dev bench [NAME...]: all measurements, or those named (cdsspec, explore, history, jobs, lineup, long, papers, prove, refine, roundup, waiting, weaken).
set -u
cd "$(dirname "$0")/.." || exit 2
for script in bench/*.sh bench/*/*.sh; do
    name=$(basename "$script" .sh)
    if [ "$name" = run ] || { [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; }; then continue; fi
    [ -f "$script" ] || continue
    echo "== $name"
    bash "$script"
done
