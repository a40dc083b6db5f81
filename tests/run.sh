#!/usr/bin/env bash
# All tests. Each suite tests/suites/*.sh prints "ok NAME" or "FAIL NAME ..." a case and is counted
# here; tests/suites/*.sh are run in alphabetical order and share the built tool in build/.
set -u
cd "$(dirname "$0")/.." || exit 2
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
passed=0; failed=0; skipped=0
for suite in tests/suites/*.sh; do
    name=$(basename "$suite" .sh)
    [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] && continue
    start=$(date +%s.%N)
    bash "$suite" >"$out/$name" 2>&1; status=$?
    ok=$(grep -c '^ok ' "$out/$name"); bad=$(grep -c '^FAIL' "$out/$name"); skip=$(grep -c '^skip ' "$out/$name")
    if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; echo "FAIL $name: exit status $status" >>"$out/$name"; fi
    printf '%-12s %5d passed %3d failed  %6.1f s\n' "$name" "$ok" "$bad" "$(awk "BEGIN{print $(date +%s.%N) - $start}")"
    [ "$bad" = 0 ] || grep -v '^ok ' "$out/$name" | head -n 60
    passed=$((passed + ok)); failed=$((failed + bad)); skipped=$((skipped + skip))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
