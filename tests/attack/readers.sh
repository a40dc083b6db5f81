# Readers and writers of text: depth, and bytes that are no text. Sourced by suite 52_attack.
says() {
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 30 "$@" >out 2>&1; got=$?
    if [ $got = "$status" ] && grep -qE -- "$pattern" out; then echo "ok reader: $name"; else echo "FAIL reader: $name: exit status $got, not $status: $(head -c 300 out)"; fi
}
many() { awk -v "n=$1" -v "word=$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", word }'; }
hp() { printf 'struct node { int val; node next; }\nglobal node top; global int s[], n;\nop A { int v; 1 p1: <%s> n = %s; }\n' "$1" "$2" >deep.hp; }
hp "$(many 100000 '(')n == 0$(many 100000 ')')" 1; says '.hp: parentheses' 2 'nested more than' "$heddle" prove deep.hp
hp "$(many 100000 '!(')n == 0$(many 100000 ')')" 1; says '.hp: negations' 2 'nested more than' "$heddle" prove deep.hp
hp "$(many 100000 'n == 0 => ')n == 0" 1; says '.hp: implications' 2 'nested more than|expected' "$heddle" prove deep.hp
hp 'n == 0' "$(many 100000 's[')0$(many 100000 ']')"; says '.hp: indexes' 2 'nested more than' "$heddle" prove deep.hp
hp 'n == 0' "$(many 100000 '1 + ')0"; says '.hp: a long sum' 2 'nested more than' "$heddle" prove deep.hp
hp "($(many 100000 'n == 0 && ')n == 0)" 1; says '.hp: a long conjunction' 2 'nested more than' "$heddle" prove deep.hp
printf 'void f() %s' "$(many 100000 '{')" >deep.hm; says '.hm: braces' 2 'nested more than' "$heddle" refine -q deep.hm
printf 'a = %s' "$(many 100000 '[')" >deep.toml; says '.toml: arrays' 2 'too many arrays' "$heddle" check --config=deep.toml
printf '{"process":1,"type":"call","op":"put","args":[%s]}\n' "$(many 100000 '[')$(many 100000 ']')" >deep.jsonl; says '.jsonl: arrays' 2 'nested too deeply' "$heddle" history --spec=fifo deep.jsonl
# JUnit stays XML whatever the name of a test is: halves of pairs, overlong forms, characters that are none
printf 'int main(void) { return 0; }\n' >p.c
for bytes in '\355\240\200' '\300\200' '\340\200\200' '\357\277\276' '\357\277\277' '\364\220\200\200' '\377' '\001' '<&"\047>'; do
    name=$(printf "x$bytes")
    cp p.c "$name.c" 2>/dev/null || continue
    timeout 30 "$heddle" run -q --junit=out.xml "$name.c" >out 2>&1
    if ! command -v xmllint >/dev/null; then echo "skip reader: JUnit (no xmllint)"; break; fi
    if xmllint --noout out.xml 2>err; then echo "ok reader: JUnit with $bytes"; else echo "FAIL reader: JUnit with $bytes: $(head -n 3 err)"; fi
    rm -f "$name.c"
done
for name in 'a b.c' $'tab\there.c' $'line\nend.c' "quote'and\".c" '$x.c' "$(many 200 long).c"; do
    cp p.c "$name" 2>/dev/null || { echo "ok reader: a name that the system refuses"; continue; }
    case $name in
    *$'\n'*) says 'a name of two lines' 2 'more than one line' "$heddle" run -q "$name" ;;
    *) says "a source called ${name:0:12}" 0 '^holds' "$heddle" run -q "$name" ;;
    esac
done
