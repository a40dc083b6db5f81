#!/usr/bin/env bash
# How fast are recorded histories checked? Real logs are measured if HEDDLE_HISTORIES names a folder
# with them (etcd/*.log, kv/*.txt), or ../shared/histories exists. Prints figures with their targets;
# bench/history.md has a run.
set -eu
cd "$(dirname "$0")/.."
make -s -j"$(nproc)" unit
bench=build/history_bench
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -o $bench bench/history_bench.c \
    build/tool.a -lz
logs=${HEDDLE_HISTORIES:-../shared/histories}
if [ -d "$logs" ]; then
    printf 'etcd logs together (target 20 ms):            '; $bench files cas-register parts "$logs"/etcd/*.log
    printf 'c10-ok by key (target 0.2 ms):                '; $bench files kv parts "$logs"/kv/c10-ok.txt
    printf 'c10-ok not divided by key (target 20 ms):     '; $bench files kv whole "$logs"/kv/c10-ok.txt
    printf 'c10-bad not divided by key:                   '; $bench files kv whole "$logs"/kv/c10-bad.txt
fi
printf 'key-value (target 100 ms):   '; $bench kv 10000 50 ok
printf 'with one wrong result:       '; $bench kv 10000 50 plant
printf 'distinct queue (target 2 s): '; $bench queue 1000000 50 ok
printf 'with one wrong result:       '; $bench queue 1000000 50 plant
printf 'distinct stack:              '; $bench stack 1000000 50 ok
printf 'with one wrong result:       '; $bench stack 1000000 50 plant
printf 'distinct register:           '; $bench register 1000000 50 ok
printf 'with one wrong result:       '; $bench register 1000000 50 plant
printf 'set:                         '; $bench set 1000000 50 ok
objects=build/history_objects
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -Wl,--wrap=clock_seconds -o $objects bench/history_objects.c build/tool.a -lz -lm
for clients in 8 32; do
    echo "every object, 10,000 random operations of $clients busy clients (target 1 s, or hard: see heddle-history(1)):"
    $objects 10000 $clients 2
done
bench/porcupine.sh
# Both groups relaxed: a queue is decided by ranks (judge/quasi/ranks.h), as the n-th take answers the n-th put whatever
# comes between them. What a pop answers depends on how pushes and pops are interleaved: stacks and priority queues are
# decided by the order of pairs (judge/quasi/nesting.h) under def4, and under slot and kooo if these are contradictory at
# once; else they are searched. bench/history.md has a run, and says which are over the target.
echo 'quasi, 200 operations of 4 threads (target 100 ms each):'
for semantics in kooo slot def4; do
    for kind in queue stack priority register; do
        $bench quasi $kind $semantics 200 4 "${SEEDS:-3}" 10
    done
done
echo 'quasi, both groups relaxed by 2, 20 histories each (target 100 ms each):'
for semantics in kooo slot def4; do
    for kind in queue stack priority; do
        $bench quasi $kind $semantics 200 4 20 10 2
    done
done
