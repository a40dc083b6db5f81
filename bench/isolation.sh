#!/usr/bin/env bash
# How the check of transactions grows: lists, ok and with one planted anomaly of each kind, and registers;
# processor time (user and system) and peak memory of the whole command, reading included. Sizes:
# SIZES (default 1000 10000 100000 1000000), CLIENTS (32). The logs are made by tests/isolation/generate.py,
# at most 32 elements a list.
set -eu
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || { echo "skip isolation (no python3)"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
clients=${CLIENTS:-32}
printf '%-10s %-30s %9s %9s %9s  %s\n' size log 'MB' 'CPU s' 'peak MB' answer
row() { # SIZE KIND ANOMALY
    python3 tests/isolation/generate.py "$1" "$clients" "$2" "$3" >"$work/log"
    read -r user system peak < <({ command time -f '%U %S %M' build/heddle history --quiet --time=0 \
        --spec=transactions "$work/log" >"$work/answer" || true; } 2>&1 | tail -n 1)
    awk -v n="$1" -v k="$2 $3" -v b="$(stat -c %s "$work/log")" -v u="$user" -v s="$system" -v m="$peak" \
        -v a="$(sed -n 's/^  \(G[^:]*\|[a-z-]*\): .*/\1/p; s/.*: \(strictly serializable\).*/\1/p' "$work/answer" | head -n 1)" \
        'BEGIN { printf "%-10s %-30s %9.1f %9.2f %9.1f  %s\n", n, k, b / 1e6, u + s, m / 1024, a }'
}
for size in ${SIZES:-1000 10000 100000 1000000}; do
    row "$size" lists -
    for anomaly in ${ANOMALIES-G0 G1a G1b G1c G-single G-nonadjacent G2-item lost-update long-fork internal \
        non-repeatable-read duplicate-elements incompatible-order dirty-update garbage-read \
        observed-transaction-vanishes}; do
        row "$size" lists "$anomaly"
    done
    [ "$size" -gt 100000 ] || row "$size" registers -
done
