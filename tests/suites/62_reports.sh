# Text reports, word for word: every kind of violation (tests/golden/reports/cases). Figures that depend
# on the machine are taken out. After a change that is meant: `HEDDLE_UPDATE=1 bash
# tests/suites/62_reports.sh', then read what `git diff tests/golden/reports' says as a newcomer would.
# builds: kept with corpus
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
export HEDDLE_DEBUG=repair-ms=30000 # not less on a busy machine
unset COLUMNS NO_COLOR GITHUB_ACTIONS
cd tests/golden/reports || exit 2

normalise() { # counts and times; addresses; the model checker's speed
    sed -E -e '/^  (found (after|in) |[0-9]+ executions)/s/[0-9]+(\.[0-9]+)?/N/g' -e 's/0x[0-9a-f]{6,}/0xN/g' \
        -e 's/^  \(([0-9]+ programs? tried in )[0-9.]+ s/  (\1N s/' -e '/ states, /s/[0-9]+(\.[0-9]+)?/N/g' -e 's/= 4[0-9]{6}$/= N/' \
        -e 's/^    [0-9]+ serial runs, [0-9.]+ s$/    N serial runs, N s/'
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
    # fits 100, 80 and 60 columns; the narrowest in ASCII, which is as wide
    for columns in 100 80 60; do
        ascii=()
        [ "${arguments%% *}" = refine ] && [ $columns != 100 ] && continue
        [ $columns = 60 ] && ascii=(--ascii)
        # shellcheck disable=SC2086
        [ $columns = 100 ] || COLUMNS=$columns timeout 60 "$heddle" $arguments "${options[@]}" "${ascii[@]}" >"$work/raw" 2>/dev/null
        # what is to be copied is not broken
        widest=$(grep -v -e '^To keep' -e '^To see' -e '^In a debugger' "$work/raw" | wc -L)
        if [ "$widest" -le $columns ]; then echo "ok $columns columns $name"
        else echo "FAIL $columns columns $name: a line takes $widest"; fi
        if [ $columns = 60 ] && LC_ALL=C grep -q '[^ -~]' "$work/raw"; then
            echo "FAIL ascii $name: $(LC_ALL=C grep '[^ -~]' "$work/raw" | head -n 1)"
        fi
    done
done <cases

# programs as users write them: their reports lead to the change that -DFIXED makes
cd users || exit 2
while IFS=';' read -r name command kind says; do
    case $name in ''|'#'*) continue ;; esac
    timeout 100 "$heddle" "$command" --quiet --no-record "$name" >"$work/raw" 2>"$work/err"; status=$?
    normalise <"$work/raw" >"$work/text"
    if [ -n "${HEDDLE_UPDATE:-}" ]; then cp "$work/text" "$name.txt"; fi
    if [ $status != 1 ] || ! head -n 1 "$work/raw" | grep -q "^violated: $kind in $name"; then
        echo "FAIL report $name: exit status $status: $(head -c 300 "$work/raw" "$work/err")"
    elif ! cmp -s "$work/text" "$name.txt"; then
        echo "FAIL report $name: differs from tests/golden/reports/users/$name.txt"
        diff "$name.txt" "$work/text" | head -n 20
    elif ! tr -s '\n ' ' ' <"$work/text" | grep -qF -- "$says"; then echo "FAIL report $name: does not say: $says"
    else echo "ok report $name"; fi
    [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
    if timeout 100 "$heddle" "$command" --quiet --no-record -DFIXED "$name" >"$work/raw" 2>&1; then echo "ok report $name: with the change it holds"
    else echo "FAIL report $name: with the change: $(head -c 300 "$work/raw")"; fi
done <cases
cd .. || exit 2

# colours on a terminal only, and not when they are unwanted; as wide as the terminal
if script -qc true /dev/null </dev/null >/dev/null 2>&1; then # there are terminals
    terminal() { script -qc "$1" /dev/null </dev/null | tr -d '\r' >"$work/raw"; }
    colours() { grep -c $'\033\[[0-9;]*m' "$work/raw"; }
    TERM=xterm terminal "stty cols 70; $heddle run -q --no-record counter.c"
    if [ "$(colours)" -gt 3 ]; then echo "ok colours on a terminal"; else echo "FAIL colours on a terminal"; fi
    widest=$(sed 's/\x1b\[[0-9;]*m//g' "$work/raw" | wc -L)
    if [ "$widest" -le 70 ]; then echo "ok as wide as the terminal"; else echo "FAIL as wide as the terminal: $widest"; fi
    TERM=xterm NO_COLOR=1 terminal "$heddle run -q --no-record counter.c"
    if [ "$(colours)" = 0 ]; then echo "ok NO_COLOR"; else echo "FAIL NO_COLOR"; fi
    TERM=dumb terminal "$heddle run -q --no-record counter.c"
    if [ "$(colours)" = 0 ]; then echo "ok TERM=dumb"; else echo "FAIL TERM=dumb"; fi
else
    echo "skip reports on a terminal (no script)"
fi

# more threads than lanes fit beside the steps
cat >"$work/many.c" <<'TEXT'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count;
static void *work(void *unused) { int seen = atomic_fetch_add(&count, 1); assert(seen < 11); return unused; }
int main(void) { pthread_t t[12]; for (int i = 0; i < 12; i++) pthread_create(&t[i], 0, work, 0); for (int i = 0; i < 12; i++) pthread_join(t[i], 0); }
TEXT
"$heddle" run -q --no-record "$work/many.c" >"$work/raw" 2>&1
if grep -qE '^ +[0-9]+  T12 +many.c:5 +fetch_add count' "$work/raw" && [ "$(wc -L <"$work/raw")" -le 100 ]; then echo "ok many threads"
else echo "FAIL many threads"; cat "$work/raw"; fi
# threads that wait for ever: a report for viewers points at their lines, not at the first line of the file
for waits in "accounts.c 17" "handshake.c 10"; do
    "$heddle" run -q --no-record --no-repair --sarif="$work/waits.sarif" "${waits% *}" >/dev/null 2>&1
    line=$(sed -n '/"locations": \[/,$p' "$work/waits.sarif" | tr -s '\n ' ' ' | grep -o '"text": "waits for ever"' | head -n 1)
    if [ -n "$line" ] && tr -s '\n ' ' ' <"$work/waits.sarif" | grep -q "\"startLine\": ${waits#* }, \"startColumn\": [0-9]* } }, \"message\": { \"text\": \"waits for ever\""; then echo "ok sarif: $waits waits"
    else echo "FAIL sarif: $waits waits: $(grep -A12 '"locations"' "$work/waits.sarif" | head -n 14)"; fi
done
