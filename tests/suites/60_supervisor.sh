# The supervisor against a runtime that misbehaves on request (tests/fixtures/fake_runtime.c).
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
gcc -O1 -D_GNU_SOURCE -Isrc -c tests/fixtures/fake_runtime.c -o "$work/fake_runtime.o" || { echo "FAIL fake runtime"; exit 1; }
cd "$work" || exit 2
export TMPDIR=$work/tmp HEDDLE_RUNTIME=$work/fake_runtime.o; mkdir "$TMPDIR"
echo 'int x; int main(int argc, char **argv) { x = argc; return argv[argc] != 0; }' >p.c

# Nothing is left, or in a moment nothing will be: other suites have the processors, too.
left_behind() {
    for ((look = 0; look < 30; look++)); do
        sleep 0.1
        [ -z "$(ls -A "$TMPDIR")" ] && ! pgrep -f "$TMPDIR" >/dev/null && return
    done
    false
}
# expect NAME FAKE STATUS PATTERN OPTION...
expect() {
    local name=$1 fake=$2 status=$3 pattern=$4; shift 4
    local output got
    output=$(FAKE=$fake timeout 60 "$heddle" run "$@" p.c 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$output"$'\n'"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL $name: no line matches '$pattern': $output"
    elif ! left_behind; then
        echo "FAIL $name: left behind: $(ls -A "$TMPDIR") $(pgrep -af "$TMPDIR")"
    else
        echo "ok $name"
    fi
}
expect holds holds 0 '^holds'
expect json holds 0 '"verdict": "holds".*"executions": 7' --json
expect "no vacuous holds" vacuous 3 'no execution of the program came to its end'
expect violated violated 1 '^violated: assertion'
expect "message of the violation" violated 1 'it is wrong'
expect "violation that does not replay" unreplayable 4 'could not be confirmed'
expect "violation without a record" "no record" 4 'could not be confirmed'
expect "record with a thread that is not there" "bad record" 4 'there is no thread 77'
expect "record outside the mapping" "wild record" 4 'outside the shared memory'
expect "assertion of ours" internal 4 'internal error: x > 0'
expect crash crash 3 'killed by signal 11'
expect exit exit 3 'ended with status 3'
expect "ends without an outcome" nothing 3 'before its exploration was complete'
expect hang hang 3 'nothing happened for 1 s' --hang=1s
expect "time limit, busy without events" hang 3 'time limit of 1 s' --time=1s
expect "time limit, deaf" deaf 3 'time limit of 1 s' --time=1s
expect "time limit, polite" polite 3 'time limit of 1 s' --time=1s
expect "memory limit" memory 3 'memory limit of 100 MB' --memory=100M
expect "much output" print 0 '^holds'
expect "children that stay" leave 0 '^holds'
expect "outcome without an end" late 0 '^holds'
if FAKE=print "$heddle" run --show-output p.c 2>&1 >/dev/null | grep -q 'to stdout 199999'; then
    echo "ok --show-output shows stdout on stderr"
else
    echo "FAIL --show-output"
fi
if [ "$(FAKE=print "$heddle" run --json p.c 2>/dev/null | wc -l)" = 1 ]; then
    echo "ok the program's output stays out of the result"
else
    echo "FAIL output mixed with the result"
fi

if FAKE=holds "$heddle" run p.c <&- 2>&- | grep -q '^holds'; then
    echo "ok standard files may be closed"
else
    echo "FAIL closed standard files"
fi

# A person's wish to stop: partial result, status 3. The harness may start us with SIGINT ignored, as
# shells do for background jobs, hence the wrapper.
interrupt() {
    local name=$1 signal=$2 status=$3 fake=$4; shift 4
    FAKE=$fake env --default-signal=INT "$heddle" run "$@" p.c >out.txt 2>err.txt </dev/null &
    local pid=$! look
    for ((look = 0; look < 100; look++)); do # until the program runs, if it ever will
        [[ "$*" == *slow-gcc* ]] && break
        readlink /proc/[0-9]*/exe 2>/dev/null | grep -q "^$TMPDIR/.*/program" && break
        sleep 0.1
    done
    sleep 0.5
    kill "-$signal" $pid
    local start got; start=$(date +%s)
    wait $pid; got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL $name: exit status $got, not $status: $(cat out.txt err.txt)"
    elif [ $(($(date +%s) - start)) -gt 5 ]; then
        echo "FAIL $name: took too long to stop"
    elif [ "$status" = 3 ] && ! grep -q '^inconclusive' out.txt; then
        echo "FAIL $name: no partial result: $(cat out.txt err.txt)"
    elif ! left_behind; then
        echo "FAIL $name: left behind: $(ls -A "$TMPDIR") $(pgrep -af "$TMPDIR")"
    else
        echo "ok $name"
    fi
}
interrupt "Ctrl-C" INT 3 polite
interrupt "Ctrl-C, deaf program" INT 3 deaf
interrupt "Ctrl-C, hanging program" INT 3 hang
interrupt "SIGTERM" TERM 3 polite
interrupt "SIGKILL leaves nothing" KILL 137 polite
interrupt "SIGKILL, deaf program" KILL 137 deaf

# Others have the processors: time in which the program could not run is no hang.
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    FAKE=polite "$heddle" run --hang=250ms --time=5s p.c >out.txt 2>err.txt </dev/null &
    tool=$!
    sleep 0.7
    # shellcheck disable=SC2046
    chrt -i -p 0 $(pgrep -P $tool | grep -vx "$(pgrep -P $tool heddle-keeper || echo none)")
    busy=()
    for ((i = 0; i < 2 * $(nproc); i++)); do timeout 3 sh -c 'while :; do :; done' & busy+=($!); done
    wait $tool "${busy[@]}"
    if grep -q 'time limit of 5 s' out.txt; then echo "ok no processor for seconds"; else echo "FAIL no processor for seconds: $(cat out.txt err.txt)"; fi
fi

# While compiling: a compiler that takes its time.
cat >slow-gcc <<'S'
#!/bin/sh
sleep 20
S
chmod +x slow-gcc
interrupt "Ctrl-C while compiling" INT 3 holds --cc="$PWD/slow-gcc"
interrupt "SIGKILL while compiling" KILL 137 holds --cc="$PWD/slow-gcc"

# The replay of a record.
FAKE=violated "$heddle" run p.c >/dev/null 2>&1
check() { # NAME STATUS PATTERN FAKE ARGUMENT...
    local name=$1 status=$2 pattern=$3 fake=$4; shift 4
    local output got
    output=$(FAKE=$fake "$heddle" replay "$@" 2>&1); got=$?
    if [ "$got" = "$status" ] && grep -q -e "$pattern" <<<"$output"; then
        echo "ok $name"
    else
        echo "FAIL $name: exit status $got: $output"
    fi
}
check "replay" 1 '^violated: assertion' violated p.heddle
check "replay that shows nothing" 3 'does not show again' unreplayable p.heddle
mkdir elsewhere && cp p.c p.heddle elsewhere && cd elsewhere || exit 2
check "replay in another folder" 1 '^violated' violated p.heddle
cd .. || exit 2
echo '/* changed */' >>p.c
check "replay with a changed source" 1 'changed since the record was made: p.c' violated p.heddle
head -c 500 p.heddle >short.heddle
check "truncated record" 2 'truncated' violated short.heddle
cp p.heddle bad.heddle; printf 'X' | dd of=bad.heddle bs=1 seek=600 conv=notrunc 2>/dev/null
check "damaged record" 2 'damaged' violated bad.heddle
exit 0
