# heddle serve: its answers to good and bad requests, and its page in a real Chromium during a run.
heddle=$PWD/build/heddle; tests=$PWD/tests/html; root=$PWD
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 2
say() { if [ "$1" = 0 ]; then echo "ok serve: $2"; else echo "FAIL serve: $2: $3"; fi; }

"$heddle" serve >out 2>&1; [ $? = 2 ] && grep -q "no journal is named" out; say $? "no journal" "$(cat out)"
"$heddle" serve --port=70000 x >out 2>&1; [ $? = 2 ] && grep -q "70000" out; say $? "no such port" "$(cat out)"

# an exploration that lasts until it was looked at; its name is hostile
name='<img src=x onerror=alert(1)>"&.c'
cp "$root/tests/oracle/msqueue.c" "$name"
"$heddle" run --quiet --no-record --no-reductions -DP=4 -DQ=3 --time=90s --journal=journal -I"$root/tests/oracle" "$name" >run.out 2>&1 &
explorer=$!
"$heddle" serve --port=0 journal >address 2>serve.err &
server=$!
for _ in $(seq 100); do [ -s address ] && break; sleep 0.05; done
address=$(cat address)
port=${address##*:}; port=${port%/}
# ask REQUEST-LINE HOST: the status of the answer
ask() {
    exec 5<>"/dev/tcp/127.0.0.1/$port" || return
    printf '%s\r\nHost: %s\r\n\r\n' "$1" "$2" >&5
    head -n 1 <&5 | tr -d '\r'
    exec 5>&-
}
expect() {
    local got; got=$(ask "$1" "$2")
    [ "$got" = "HTTP/1.1 $3" ]; say $? "$1 for $2" "$got"
}
expect "GET / HTTP/1.1" "127.0.0.1:$port" "200 OK"
expect "GET /?x HTTP/1.1" "localhost:$port" "200 OK"
expect "GET /events HTTP/1.1" "localhost:$port" "200 OK"
expect "GET / HTTP/1.1" "evil.example:$port" "403 Forbidden"
expect "GET / HTTP/1.1" "127.0.0.1" "403 Forbidden"
expect "POST / HTTP/1.1" "127.0.0.1:$port" "405 Method Not Allowed"
expect "GET /../../etc/passwd HTTP/1.1" "127.0.0.1:$port" "404 Not Found"
expect "nonsense" "127.0.0.1:$port" "400 Bad Request"
"$heddle" serve --port="$port" journal >out 2>&1; [ $? = 2 ] && grep -q "can't listen on port $port" out; say $? "a port that is taken" "$(cat out)"

CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -z "$CHROMIUM" ] || [ ! -d "$tests/node_modules/playwright-core" ]; then
    echo "skip serve: needs chromium, node and npm ci in tests/html (./dev test installs them)"
else
    CHROMIUM=$CHROMIUM node "$tests/serve.mjs" "${address%/}" "$name" "$explorer" ${HEDDLE_SCREENSHOT:+"$HEDDLE_SCREENSHOT"}
fi
kill "$explorer" 2>/dev/null
wait $server; say $? "the server ends with the run" "$(cat serve.err)"
