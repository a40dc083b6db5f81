#!/usr/bin/env bash
# Heddle and Porcupine side by side on Porcupine's test data: the processor time of the check alone, each
# tool's best of several. Needs Go. Porcupine is the checkout in the folder that PORCUPINE names, or what
# `go get` finds, or else bench/porcupine/standin, which does the same work; the table says which. Logs:
# HEDDLE_HISTORIES, or ../shared/histories (etcd/*.log, kv/*.txt); logs of 50 clients and of banks are made here. The
# aim is a factor of 5 in every row.
set -eu
cd "$(dirname "$0")/.."
command -v go >/dev/null || { echo "skip porcupine (Go is not installed)"; exit 0; }
work=$(mktemp -d); trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cp -r bench/porcupine/* "$work/"
package=github.com/anishathalye/porcupine
# build FOLDER: with the sources in it, or with those of the network if it is empty
build() {
    (cd "$work" && { [ -z "$1" ] || go mod edit -replace "$package=$1"; } &&
        GOFLAGS=-mod=mod GOPROXY=${GOPROXY:-https://proxy.golang.org} timeout 120 go build -o porcupine . 2>log)
}
if [ -n "${PORCUPINE:-}" ]; then
    [ -f "$PORCUPINE/checker.go" ] || { echo "PORCUPINE=$PORCUPINE: there is no checker.go"; exit 2; }
    label="Porcupine ($PORCUPINE)"
    build "$(cd "$PORCUPINE" && pwd)" || { echo "PORCUPINE=$PORCUPINE does not build: $(head -n 1 "$work/log")"; exit 2; }
elif [ "${STANDIN:-0}" = 0 ] && build ""; then
    label="Porcupine ($(cd "$work" && go list -m "$package"))"
else
    label="the stand-in for Porcupine (bench/porcupine/standin)"
    build ./standin || { echo "skip porcupine (it does not build: $(head -n 1 "$work/log"))"; exit 0; }
fi
echo "compared with $label"
make -s -j"$(nproc)" build/tool.a
bench=$work/history_bench
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Isrc -Iinclude -o "$bench" bench/history_bench.c build/tool.a -lz -lm
logs=${HEDDLE_HISTORIES:-../shared/histories}
mkdir "$work/made"
"$bench" log 5000 50 ok >"$work/made/made-c50-ok.txt"
"$bench" log 5000 50 plant >"$work/made/made-c50-bad.txt"
export GOMAXPROCS=1
rows=0 slow=0
# compare NAME MODEL HOW PORCUPINE'S-HOW FILE...: a row a file
compare() {
    local name=$1 model=$2 how=$3 other=$4; shift 4
    "$bench" rows "$model" "$how" "$@" >"$work/ours"
    timeout 1200 "$work/porcupine" "$other" "${SECONDS_EACH:-20}" "$@" >"$work/theirs" || true
    paste -d ' ' "$work/ours" "$work/theirs" | while read -r file answer ms _ answer2 ms2; do
        awk -v n="$name $file" -v a="$answer" -v m="$ms" -v b="${answer2:-none}" -v t="${ms2:-0}" 'BEGIN {
            f = m > 0 ? t / m : 0
            printf "%-28s %-12s %12.3f ms   other: %-12s %12.3f ms   %10.1f times%s%s\n", n, a, m, b, t, f,
                a != b && b != "inconclusive" ? "  THE ANSWERS DIFFER" : "", f < 5 ? "  less than 5" : "" }'
    done | tee -a "$work/table"
}
if [ -d "$logs" ]; then
    compare etcd cas-register parts etcd "$logs"/etcd/*.log
    compare "by key" kv parts parts "$logs"/kv/*.txt
    compare "whole" kv whole whole "$logs"/kv/c01*.txt "$logs"/kv/c10*.txt
fi
compare "by key" kv parts parts "$work"/made/*.txt
if command -v python3 >/dev/null; then
    for clients in 4 8 12 16 24; do
        for kind in ok bad; do
            python3 bench/porcupine/bank.py 500 "$clients" "$clients" $kind >"$work/made/bank-c$clients-$kind.jsonl"
        done
    done
    compare bank bank:8x100 whole bank "$work"/made/bank-*.jsonl
fi
rows=$(wc -l <"$work/table") slow=$(grep -c 'less than 5' "$work/table" || true)
echo "$rows rows, $slow of them less than 5 times faster, $(grep -c DIFFER "$work/table" || true) answers differ"
