#!/usr/bin/env bash
# How busy 64, 1,024 and 16,384 ranks are kept when each has ten seconds of work: a simulation (simulate.c)
# on the trees of real explorations, with the latencies that latency.c measured here, if an MPI is installed.
#     bench/scale/run.sh [TREES]     TREES: a folder in which the trees are kept for the next time
set -eu
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trees=${1:-$out}
mkdir -p "$trees"
cc -O2 -Isrc bench/scale/simulate.c src/tool/cli/scale/sharing.c -lm -o "$out/simulate"
# latency, service and replay in µs: those of an ordinary cluster, and ten times slower ones
settings=("30 5 1000" "200 20 1000")
for mpi in openmpi mpich; do
    if ! command -v "mpicc.$mpi" >/dev/null || ! command -v "mpirun.$mpi" >/dev/null; then continue; fi
    "mpicc.$mpi" -O2 -Isrc bench/scale/latency.c src/tool/cli/scale/mpi/plugin.c -o "$out/latency" || continue
    options=()
    [ $mpi = openmpi ] && options=(--allow-run-as-root --oversubscribe --mca btl "tcp,self")
    measured=$(timeout 60 "mpirun.$mpi" "${options[@]}" -n 2 "$out/latency") || continue
    echo "measured here, $mpi, two processes (µs a message on its way, µs a message at rank 0): $measured"
    settings+=("$measured 1000")
done
while read -r name file flags; do
    [ -s "$trees/$name" ] && continue
    # shellcheck disable=SC2086
    executions=$(HEDDLE_DEBUG=tree="$trees/$name" build/heddle run --quiet --no-record --json --jobs=1 --no-reductions $flags "tests/oracle/$file" |
        awk -v keys=executions -f tests/json.awk)
    if [ "$(wc -c <"$trees/$name")" != $((2 * executions)) ]; then
        echo "the tree of $file $flags does not have $executions executions" >&2
        rm "$trees/$name"
        exit 1
    fi
done <<'END'
readers20 readers.c -DN=20
treiber33 treiber.c -DP=3 -DQ=3
msqueue32 msqueue.c -DP=3 -DQ=2
END
for setting in "${settings[@]}"; do
    read -r latency service replay <<<"$setting"
    echo
    echo "$latency µs on the network, $service µs a message at a server, $replay µs to begin a unit"
    printf '%-10s %6s %6s %10s %9s %7s %9s %9s\n' tree ranks group "ms each" seconds "busy %" "units" "server %"
    for tree in readers20 treiber33 msqueue32; do
        for size in "64 0" "1024 0" "16384 0" "16384 128"; do
            # shellcheck disable=SC2086
            printf '%-10s %s\n' "$tree" "$("$out/simulate" "$trees/$tree" $size 10 $setting)"
        done
    done
done
