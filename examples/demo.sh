#!/usr/bin/env bash
# A queue that looks right and a ring buffer that passes every test on this machine, and the executions in
# which they fail.
set -u
cd "$(dirname "$0")" || exit 2
heddle=${HEDDLE:-../build/heddle}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "examples/queue.c is a queue with two locks. All that a test needs is a list of its operations:"
cat queue_check.c
say "\$ heddle check examples/queue_check.c"
"$heddle" check --no-record queue_check.c
[ $? = 1 ] || { echo "demo: the bug of the queue was not found"; exit 1; }

say "A get that finds another one at work must wait for it, or it may miss what was put before:"
echo "    pthread_mutex_lock(&head_lock);"
say "\$ heddle check --shape=2x3 examples/queue_check.c -Dpthread_mutex_trylock=pthread_mutex_lock"
"$heddle" check --shape=2x3 queue_check.c -Dpthread_mutex_trylock=pthread_mutex_lock ||
    { echo "demo: the repaired queue fails"; exit 1; }

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
  build/heddle check YOUR_check.c          operations of a data structure, as above
  build/heddle run YOUR.c                  any program with a main() and threads
  build/heddle run --model=sc YOUR.c       is it wrong even without weak memory?
  build/heddle run --help                  all options; `man man/heddle.1' tells more
TEXT
