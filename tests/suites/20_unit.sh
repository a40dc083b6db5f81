# Unit tests: one cmocka program a source file, each with its own process and time limit.
for test in build/unit/*; do
    [ -x "$test" ] && [ -f "$test" ] || continue
    case "$test" in *.d) continue ;; esac
    name=$(basename "$test")
    if output=$(timeout 120 "$test" 2>&1); then
        echo "$output" | grep -c '\[       OK' | sed "s/.*/ok $name (&)/"
    else
        echo "FAIL $name"; echo "$output" | tail -n 30
    fi
done
