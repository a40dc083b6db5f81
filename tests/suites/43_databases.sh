# Transactions on lists of real databases under load (tests/isolation/databases.py): each level holds, and a stronger
# one is violated, with a named anomaly. Servers that are not installed are skipped; Debian: postgresql, redis-server.
command -v python3 >/dev/null || { echo "skip databases (no python3)"; exit 0; }
export PYTHONDONTWRITEBYTECODE=1
tool=$PWD/build/heddle dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
# database NAME HOW HOLDS [VIOLATED ANOMALY]: load that happens to show no anomaly is tried again
database() {
    local name=$1 how=$2 holds=$3 violated=${4:-} anomaly=${5:-} status
    for try in 1 2 3; do
        timeout 120 python3 tests/isolation/databases.py "$name" "$how" "$dir/log" >"$dir/out" 2>&1; status=$?
        if [ $status = 77 ]; then echo "skip databases, $name, $how (it is not installed)"; return; fi
        if [ $status != 0 ] || [ ! -s "$dir/log" ]; then
            echo "skip databases, $name, $how (it does not start: $(tail -n 1 "$dir/out"))"; return
        fi
        if ! "$tool" history --quiet --spec=transactions --consistency="$holds" "$dir/log" >"$dir/answer"; then
            echo "FAIL databases, $name, $how: not $holds: $(head -n 8 "$dir/answer")"; return
        fi
        [ -n "$violated" ] || break
        "$tool" history --quiet --spec=transactions --consistency="$violated" "$dir/log" >"$dir/answer"; status=$?
        if [ $status = 1 ] && grep -q "^  \($anomaly\)" "$dir/answer"; then break; fi
        if [ $try = 3 ]; then echo "FAIL databases, $name, $how: $violated, exit status $status: $(head -n 4 "$dir/answer")"; return; fi
    done
    echo "ok databases, $name, $how: $holds${violated:+, not $violated: $(sed -n 's/^  \(G[^:]*\|[a-z-]*\): .*/\1/p' "$dir/answer" | head -n 1)}"
}
database sqlite serializable strict-serializable
database sqlite read-uncommitted read-uncommitted read-committed "G1[abc]\|dirty-update"
database redis primary strict-serializable
database redis replica serializable strict-serializable "G-single-\|G2-item-\|G-nonadjacent-"
# each statement has a snapshot of its own, so nothing that was seen vanishes; its read uncommitted is read committed
for level in "read uncommitted" "read committed"; do
    database postgresql "$level" monotonic-atomic-view cut-isolation "non-repeatable-read"
done
database postgresql "repeatable read" strong-snapshot-isolation serializable "G2-item.*write-skew"
database postgresql serializable serializable
