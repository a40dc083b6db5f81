# The heddle.toml of a project that was just cloned, and the files beside it. Sourced by suite 52_attack.
cp "$root/tests/programs/correct/"mp_release_acquire.c p.c 2>/dev/null || printf 'int main(void) { return 0; }\n' >p.c
printf '#!/bin/sh\ntouch %s/pwned\nexec gcc "$@"\n' "$PWD" >evil; chmod +x evil
project() { printf '[[test]]\nname = "t"\ncommand = "run"\nfile = "p.c"\n%s\n' "$1" >heddle.toml; }
project ''; output=$("$heddle" check -q 2>&1); [ $? = 0 ] && echo "ok project: a harmless one" || echo "FAIL project: a harmless one: $output"
ls -A >../before
while read -r line; do
    project "$line"; output=$(timeout 20 "$heddle" check -q 2>&1); got=$?
    if [ $got = 2 ] && ls -A | diff ../before - >/dev/null && grep -q -- '--trust-project' <<<"$output"; then echo "ok project: $line"
    else echo "FAIL project: $line: exit status $got: $(ls -A | diff ../before -) $output"; fi
    rm -f pwned ../written
done <<'LINES'
cc = "./evil"
options = ["--cc=./evil"]
flags = ["-fplugin=./evil.so"]
flags = ["-Wl,-Map=pwned"]
flags = ["-fdump-tree-all"]
flags = ["-Xlinker", "-Map=pwned"]
flags = ["-include", "@list"]
options = ["--html=../written"]
options = ["--ht=../written"]
options = ["--record=/tmp/written"]
options = ["--sarif=../written"]
options = ["--junit=../written"]
LINES
project 'flags = ["-I..", "-DX=1 + 2", "-O1", "-DY=puts"]'; output=$("$heddle" check -q 2>&1); [ $? = 0 ] && echo "ok project: macros and folders are its own" || echo "FAIL project: macros and folders are its own: $output"
project "cc = \"$(command -v gcc)\""; output=$("$heddle" check -q --trust-project 2>&1); [ $? = 0 ] && echo "ok project: --trust-project" || echo "FAIL project: --trust-project: $output"

# a FIFO in the cache is passed over
cp "$root"/examples/queue* .
timeout 60 "$heddle" check -q --no-record --cache queue_check.c >/dev/null 2>&1
for kept in .heddle-cache/*.tests; do [ -f "$kept" ] || continue; rm "$kept"; mkfifo "$kept"; done
output=$(timeout 60 "$heddle" check -q --no-record --cache queue_check.c 2>&1); got=$?
[ $got = 1 ] && tr -s '\n ' ' ' <<<"$output" | grep -q 'not a regular file' && echo "ok a FIFO in the cache" || echo "FAIL a FIFO in the cache: exit status $got: $(tail -n 3 <<<"$output")"
mkfifo fifo.c; output=$(timeout 5 "$heddle" run -q fifo.c 2>&1); [ $? = 2 ] && grep -q 'not a source' <<<"$output" && echo "ok a FIFO as a source" || echo "FAIL a FIFO as a source: $output"
