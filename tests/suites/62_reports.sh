# Text reports, word for word: every kind of violation (tests/golden/reports/cases). Figures that depend
# on the machine are taken out. After a change that is meant: `HEDDLE_UPDATE=1 bash
# tests/suites/62_reports.sh', then read what `git diff tests/golden/reports' says as a newcomer would.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR GITHUB_ACTIONS
cd tests/golden/reports || exit 2

normalise() { # counts and times; addresses; the model checker's speed
    sed -E -e '/^  (found (after|in) |[0-9]+ executions)/s/[0-9]+(\.[0-9]+)?/N/g' -e 's/0x[0-9a-f]{6,}/0xN/g' \
        -e '/ states, /s/[0-9]+(\.[0-9]+)?/N/g' -e 's/= 4[0-9]{6}$/= N/'
}

while IFS=';' read -r name arguments says; do
    case $name in ''|'#'*) continue ;; esac
    options=(--quiet); [ "${arguments%% *}" = refine ] || options+=(--no-record)
    # shellcheck disable=SC2086
    timeout 60 "$heddle" $arguments "${options[@]}" >"$work/raw" 2>"$work/err"; status=$?
    normalise <"$work/raw" >"$work/text"
    if [ -n "${HEDDLE_UPDATE:-}" ]; then cp "$work/text" "$name.txt"; fi
    if [ $status != 1 ]; then
        echo "FAIL report $name: exit status $status: $(head -c 300 "$work/err")"
    elif ! cmp -s "$work/text" "$name.txt"; then
        echo "FAIL report $name: differs from tests/golden/reports/$name.txt"
        diff "$name.txt" "$work/text" | head -n 20
    else
        echo "ok report $name"
    fi
    if head -n 5 "$work/raw" | tr '\n' ' ' | tr -s ' ' | grep -qF -- "$says"; then echo "ok first lines $name"
    else echo "FAIL first lines $name: do not say: $says"; fi
    for columns in 100 80 60; do
        [ "${arguments%% *}" = refine ] && [ $columns != 100 ] && continue
        # shellcheck disable=SC2086
        [ $columns = 100 ] || COLUMNS=$columns timeout 60 "$heddle" $arguments "${options[@]}" >"$work/raw" 2>/dev/null
        # what is to be copied is not broken
        widest=$(grep -v -e '^To keep' -e '^To see' -e '^In a debugger' "$work/raw" | wc -L)
        if [ "$widest" -le $columns ]; then echo "ok $columns columns $name"
        else echo "FAIL $columns columns $name: a line takes $widest"; fi
    done
    # only ASCII when asked for, and no escape without a terminal
    # shellcheck disable=SC2086
    [ "${arguments%% *}" = refine ] || timeout 60 "$heddle" $arguments "${options[@]}" --ascii >"$work/raw" 2>/dev/null
    if [ "${arguments%% *}" != refine ] && LC_ALL=C grep -q '[^ -~]' "$work/raw"; then
        echo "FAIL ascii $name: $(LC_ALL=C grep '[^ -~]' "$work/raw" | head -n 1)"
    else
        echo "ok ascii $name"
    fi
done <cases
