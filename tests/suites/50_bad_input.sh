# Bad input: one clear line, the right exit status, no hang, nothing left behind.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export TMPDIR=$work/tmp; mkdir "$TMPDIR"

# expect NAME STATUS PATTERN COMMAND...: exit status, and a line of the output that matches.
expect() {
    local name=$1 status=$2 pattern=$3; shift 3
    local output got
    output=$(timeout 60 "$@" 2>&1 </dev/null); got=$?
    if [ "$got" != "$status" ]; then
        echo "FAIL $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$output"$'\n'"$(tr -s '\n ' ' ' <<<"$output")"; then
        echo "FAIL $name: no line matches '$pattern': $output"
    elif [ -n "$(ls -A "$TMPDIR")" ]; then
        echo "FAIL $name: left behind: $(ls -A "$TMPDIR")"; rm -rf "${TMPDIR:?}"/*
    else
        echo "ok $name"
    fi
}

cat >good.c <<'C'
int main(void) { return 0; }
C
echo 'int main(void) { return undeclared; }' >broken.c
echo 'int helper(void) { return 1; }' >nomain.c
printf 'int missing(int); int main(void) { return missing(1); }\n' >nolink.c
echo 'int main(void) { for (volatile int i = 0;; ) if (i) return 1; }' >visible_loop.c
echo 'int main(void) { for (;;) ; }' >loop.c
cat >huge.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(void) { char *p = malloc(10ull << 30); if (!p) return 0; memset(p, 1, 10ull << 30); return 0; }
C
cat >forks.c <<'C'
#include <unistd.h>
int main(void) { if (fork() == 0) for (;;) pause(); return 0; }
C
cat >exits.c <<'C'
#include <stdlib.h>
static void __attribute__((constructor)) early(void) { _Exit(7); }
int main(void) { return 0; }
C
cat >asm.c <<'C'
int x;
int main(void) { __asm__ volatile("lock; incl %0" : "+m"(x)); return 0; }
C
cat >barrier.c <<'C'
int x;
int main(void) { __asm__ volatile("" ::: "memory"); __asm__ volatile("pause"); return 0; }
C
gcc -c -o foreign.o nomain.c
printf 'not an object' >garbage.o
printf '!<arch>\nbroken' >garbage.a
mkdir folder.c
echo 'plain text' >readme.txt
head -c 100 /dev/urandom >noise.heddle
: >empty.heddle

expect "no command" 2 'Usage: heddle COMMAND' "$heddle"
expect "unknown command" 2 'did you mean .run' "$heddle" rnu good.c
expect "option before command" 2 'options follow the command' "$heddle" --model=sc
expect "help" 0 'explore every execution' "$heddle" --help
expect "version" 0 '^heddle [0-9]' "$heddle" --version
expect "help of run" 0 '--model=MODEL' "$heddle" run --help
expect "no file" 2 'no file is named' "$heddle" run
expect "missing file" 2 '^heddle: nothere.c: No such file' "$heddle" run nothere.c
expect "folder" 2 'folder.c is a folder' "$heddle" run folder.c
touch queue.h; expect "a header" 2 "queue.h: not a kind of file.*heddle init queue.h' writes a test" "$heddle" check queue.h
expect "wrong kind of file" 2 'readme.txt: not a kind of file' "$heddle" run readme.txt
expect "garbage object" 2 'garbage.o is not an object file' "$heddle" run good.c garbage.o
expect "garbage archive" 2 '^heddle: ' "$heddle" run good.c garbage.a
expect "does not compile" 2 "broken.c:1:.*undeclared" "$heddle" run broken.c
expect "does not compile: our line" 2 '^heddle: broken.c does not compile with gcc' "$heddle" run broken.c
expect "does not compile with clang" 2 '^heddle: broken.c does not compile with clang' "$heddle" run --cc=clang broken.c
expect "two of three do not compile" 2 'broken.c and 1 more do not compile' "$heddle" run broken.c good.c broken.c
printf '#include <heddle.h>\nHD_OP(put) { return HD_VOID; }\n' >operations.c
expect "no main, but operations" 2 "no main function; for the operations that it declares (HD_OP) there is .heddle check'" "$heddle" run operations.c
expect "no main" 2 '^heddle: the program has no main function' "$heddle" run nomain.c
expect "does not link" 2 "^heddle: .*nothing defines .missing'" "$heddle" run nolink.c
printf 'static _Atomic float f;\nint main(void)\n{\n    f += 1;\n    return f != 1;\n}\n' >float.c
expect "atomic floating point, gcc" 2 "^heddle: .*nothing defines .__atomic_feraiseexcept'; gcc's libatomic does: add -latomic" "$heddle" run float.c
expect "atomic floating point, gcc, with its library" 0 "^holds" "$heddle" run float.c -latomic
expect "no such library" 2 '^heddle: the program does not link' "$heddle" run good.c -lnothere
expect "unknown model" 2 'unknown memory model .foo' "$heddle" run --model=foo good.c
expect "unknown option" 2 'unrecognized option' "$heddle" run --nothing good.c
expect "bad time" 2 '--time wants' "$heddle" run --time=soon good.c
expect "bad memory" 2 '--memory wants' "$heddle" run --memory=-1 good.c
expect "bad jobs" 2 '--jobs wants' "$heddle" run --jobs=0 good.c
expect "bad races" 2 '--races is' "$heddle" run --races=maybe good.c
expect "unknown compiler" 2 'compiler not found: gcc-99' "$heddle" run --cc=gcc-99 good.c
expect "not a compiler" 2 'neither gcc nor clang' "$heddle" run --cc=true good.c
expect "temporary folder that is not there" 2 "can't make a temporary folder" env TMPDIR=/nonexistent "$heddle" run good.c
expect "record that is not there" 2 'nothere.heddle: No such file' "$heddle" replay nothere.heddle
expect "record that is noise" 2 'not a record of heddle' "$heddle" replay noise.heddle
expect "empty record" 2 'not a record of heddle' "$heddle" replay empty.heddle
expect "result to a full disk" 2 "answer can't be written" sh -c "'$heddle' run --json good.c >/dev/full"

expect "good" 0 '^holds' "$heddle" run good.c
expect "good with clang" 0 '^holds' "$heddle" run --cc=clang good.c
expect "good and an object" 0 '^holds' "$heddle" run good.c -O2 -DX -I. -Wall -std=gnu11
expect "endless loop without accesses" 3 '^inconclusive.*nothing happened' "$heddle" run --hang=2s loop.c
expect "endless loop, its place" 3 'loop.c:1' "$heddle" run --hang=2s loop.c
expect "endless loop, time limit" 3 '^inconclusive.*time limit' "$heddle" run --time=1s loop.c
cat >slow.c <<'C'
static unsigned result;
static unsigned mix(unsigned x) { for (long i = 0; i < 40000000000L; i++) x = x * 31 + (unsigned)i; return x; }
int main(void) { result = mix(1); return 0; }
C
expect "where the time went" 3 'time limit of 0.5 s was reached; the first execution has made no event yet; it is in mix (slow.c:2), called by main (slow.c:3)' "$heddle" run --time=500ms slow.c
expect "10 GB" 3 '^inconclusive' "$heddle" run huge.c
expect "fork" 3 '^inconclusive' "$heddle" run forks.c
expect "exit before main" 3 'ended with status 7 before its main began' "$heddle" run exits.c
expect "inline assembly" 3 "asm.c:2: .lock.*heddle can't see" "$heddle" run asm.c
expect "inline assembly, clang" 3 "asm.c:2: .lock.*heddle can't see" "$heddle" run --cc=clang asm.c
expect "harmless assembly" 0 '^holds' "$heddle" run barrier.c
printf 'int shared;\nvoid foreign(void)\n{\n    shared++;\n}\n' >called.c
gcc -c -o called.o called.c
printf 'void foreign(void);\nint main(void)\n{\n    foreign();\n    return 0;\n}\n' >calls.c
expect "foreign object that is called" 0 'are watched while they run' "$heddle" run calls.c called.o
printf 'int shared;\nvoid foreign(void)\n{\n    __atomic_fetch_add(&shared, 1, 5);\n}\n' >locked.c
gcc -c locked.c
expect "foreign object with a locked instruction" 0 'are watched while they run' "$heddle" run calls.c locked.o
printf 'int shared;\nstatic __attribute__((noinline)) void hidden(void)\n{\n    shared++;\n}\nvoid foreign(void)\n{\n    hidden();\n    hidden();\n}\n' >hidden.c
gcc -O1 -c hidden.c && strip -x hidden.o
expect "foreign object with code that has no name" 3 'hidden.o is not compiled by heddle' "$heddle" run calls.c hidden.o
expect "foreign object that nothing calls" 0 '^holds' "$heddle" run good.c foreign.o
pgrep -f "$work" >/dev/null && echo "FAIL processes left: $(pgrep -af "$work")"
exit 0
