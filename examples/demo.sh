#!/usr/bin/env bash
# A ring buffer that passes every test on this machine, and the execution in which it fails.
set -u
cd "$(dirname "$0")" || exit 2
heddle=${HEDDLE:-../build/heddle}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "examples/ring.c is a ring buffer for two threads. A thousand ordinary runs:"
gcc -O2 -pthread -o "$work/ring" ring.c
failures=0
for _ in $(seq 1000); do "$work/ring" || failures=$((failures + 1)); done
echo "$failures of 1000 failed."

say "\$ heddle run examples/ring.c"
"$heddle" run --no-record ring.c
[ $? = 1 ] || { echo "demo: the bug was not found"; exit 1; }

say "The line that takes an element out must be a release, so that the next put sees it done:"
echo "    atomic_store_explicit(&head, h + 1, memory_order_release);"
say "\$ heddle run examples/ring.c -DFIXED"
"$heddle" run ring.c -DFIXED || { echo "demo: the repaired ring fails"; exit 1; }

say "What next?"
cat <<'TEXT'
  build/heddle run YOUR.c                  any program with a main() and threads
  build/heddle run --model=sc YOUR.c       is it wrong even without weak memory?
  build/heddle run --help                  all options; `man man/heddle.1' tells more
TEXT
