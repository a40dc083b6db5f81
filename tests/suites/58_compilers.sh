# heddle cc and heddle c++: they make what the compiler makes, and heddle run makes it again from the notes.
heddle=$PWD/build/heddle here=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir -p src inc out
says() { # NAME STATUS PATTERN COMMAND...: what it prints on both streams matches
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$@" >out/text 2>&1 </dev/null; got=$?
    if [ $got = "$status" ] && { tr -s '\n ' ' ' <out/text; echo; } | grep -qE -- "$pattern"; then echo "ok cc: $name"; else echo "FAIL cc: $name: exit status $got, not $status: $(head -c 400 out/text)"; fi
}
same() { if [ "$2" = "$3" ]; then echo "ok cc: $1"; else echo "FAIL cc: $1: $3, not $2"; fi; }
echo 'void add(void); int get(void);' >inc/n.h
printf '#include "n.h"\n#include <stdatomic.h>\nstatic atomic_int n;\nvoid add(void) { int v = atomic_load(&n); atomic_store(&n, v + STEP); }\nint get(void) { return atomic_load(&n); }\n' >src/n.c
printf 'void nowhere(void);\nvoid unused(void) { nowhere(); }\n' >src/unused.c
printf '#include <assert.h>\n#include <pthread.h>\n#include <n.h>\nstatic void *f(void *a) { add(); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); add(); pthread_join(t, 0); assert(get() == 2); }\n' >main.c
bug="violated: assertion in .*assertion failed: get\(\) == 2"

# as the compiler: versions, stdin, preprocessing, its errors and its status
same '--version' "$(gcc --version | head -n 1)" "$("$heddle" cc --version | head -n 1)"
same 'standard input' 42 "$(echo 'X' | "$heddle" cc -E -P -DX=42 -x c - | tail -n 1)"
echo 'int x = ;' >bad.c
says 'an error of the compiler' 1 'bad.c:1' "$heddle" cc -c bad.c
says 'no words' 2 'Usage: heddle cc' "$heddle" cc
says 'an unknown compiler' 2 'compiler not found: nosuchcc' "$heddle" cc --cc=nosuchcc -c main.c
says 'no output' 0 '' "$heddle" cc -c main.c -Iinc -o /dev/null
says 'only the syntax' 0 '' "$heddle" cc -fsyntax-only -Iinc main.c

says 'a precompiled header' 0 '' "$heddle" cc -x c-header inc/n.h -o out/n.h.gch
says 'several objects at once' 0 '' env -C out "$heddle" cc -DSTEP=1 -I../inc -c ../src/n.c ../src/unused.c
says 'assembly text' 0 '' "$heddle" cc -S -DSTEP=1 -Iinc src/n.c -o out/n.s
says 'assembled' 0 '' "$heddle" cc -c out/n.s -o out/assembled.o

# objects, an archive with a member that nothing needs and that would not link, words of many kinds
cd out || exit 2
"$heddle" cc -Wall -Werror -O2 -flto -DSTEP=1 -I ../inc -MD -MF n.d -MT n.o -c ../src/n.c -o n.o && "$heddle" cc -c ../src/unused.c && ar rcs libn.a n.o unused.o
printf -- '-O2 -I../inc "../main.c"\n' >words
"$heddle" cc @words -oprogram -L. -ln -Wl,-z,now,--as-needed -pthread; same 'a program, with words from a file' 0 $?
./program; same 'it runs as ever' 0 $?
cd .. || exit 2
says 'what is in the program is explored' 1 "out/program: 2 files, compiled again.*$bug" "$heddle" run --record=p.heddle out/program
says 'and replayed' 1 "$bug" "$heddle" replay -q p.heddle
mkdir far; cp out/program far/; (cd far && "$heddle" run -q --record=../p2.heddle ./program >/dev/null); says 'a record whose program was made elsewhere' 2 'files from outside this folder' env -C far "$heddle" replay -q -C . ../p2.heddle
says 'which is allowed' 1 "$bug" env -C far "$heddle" replay -q --allow-outside -C . ../p2.heddle
strip -s -o out/stripped out/program; says 'a stripped program' 1 "$bug" "$heddle" run -q --no-record out/stripped
printf '#include <heddle.h>\n#include <n.h>\nHD_OP(add) { add(); return HD_VOID; }\nHD_OP(get) { return HD_INT(get()); }\n' >check.c
says 'an archive beside a test' 1 'violated: linearizability' "$heddle" check -q --no-record -Iinc check.c out/libn.a
says 'an object beside a test' 1 'violated: linearizability' "$heddle" check -q --no-record -Iinc check.c out/n.o

# one step; C++; clang; a shared library; an object of somebody else
"$heddle" cc -DSTEP=1 -Iinc main.c src/n.c -o out/one -lpthread; says 'compiled and linked in one step' 1 "$bug" "$heddle" run -q --no-record out/one
sed 's/(void)/()/; s/void \*a/void *a/' main.c | sed 's/#include <n.h>/extern "C" {\n#include <n.h>\n}/' >main.C
"$heddle" c++ -std=c++20 -Iinc -c main.C -o out/main.o && "$heddle" c++ out/main.o out/n.o -o out/mixed -pthread; says 'C and C++' 1 "$bug" "$heddle" run -q --no-record out/mixed
if command -v clang >/dev/null; then
    HEDDLE_CC=clang "$heddle" cc -DSTEP=1 -Iinc main.c src/n.c -o out/clang -pthread
    says 'clang, and clang again' 1 "$bug" "$heddle" run -q --no-record out/clang
    # -O2 merges the two stores, in lines 6 and 8, and gives them line 0
    printf '#include <pthread.h>\n#include <stdatomic.h>\nstatic int data[4];\nstatic atomic_int go;\nstatic void *f(void *a) {\n    for (int i = 0; i < 4; i++) if (atomic_load_explicit(&go, memory_order_relaxed)) data[i] += i ? 2 : 1;\n        else\n            data[i & 1] = 3;\n    return a;\n}\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); atomic_store(&go, 1); int sum = data[0]; pthread_join(t, 0); return sum > 9; }\n' >zero.c
    says 'code without a line' 1 'data race on data.*zero.c:[68][, ]' "$heddle" run -q --no-record --cc=clang -O2 zero.c
    # clang's atomic minimum and maximum: two threads' updates have two orders; the larger wins in both
    cat >extreme.c <<'C'
#include <assert.h>
#include <pthread.h>
static _Atomic int top = 2;
static long low = 9;
static int old[2];
static void *up(void *n)
{
    long v = (long)n;
#ifdef LOW
    old[v > 4] = (int)(v > 4 ? __atomic_fetch_min(&low, v, __ATOMIC_SEQ_CST) : __atomic_min_fetch(&low, v, __ATOMIC_SEQ_CST));
#else
    old[v > 4] = __c11_atomic_fetch_max(&top, (int)v, __ATOMIC_SEQ_CST);
#endif
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, up, (void *)3);
    pthread_create(&b, 0, up, (void *)5);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef LOW
    assert(low == 3 && old[0] == 3 && (old[1] == 9 || old[1] == 3));
    assert(!WRONG || old[1] == 9);
#else
    assert(top == 5 && (old[0] == 2 || old[0] == 5) && (old[1] == 2 || old[1] == 3));
    assert(!WRONG || old[0] == 2);
#endif
}
C
    for which in TOP LOW; do
        says "clang's extremes, $which" 0 'all 2 executions' "$heddle" run --no-record --cc=clang -D$which -DWRONG=0 extreme.c
        says "clang's extremes, $which, the other order" 1 'assertion' "$heddle" run -q --no-record --cc=clang -D$which -DWRONG=1 extreme.c
    done
else echo "skip cc: no clang here"; fi
"$heddle" cc -DSTEP=1 -Iinc -fPIC -shared src/n.c -o out/libshared.so && "$heddle" cc -Iinc main.c -o out/dynamic -Lout -lshared "-Wl,-rpath,$PWD/out" -pthread
says 'a shared library of the project' 1 "2 files.*$bug" "$heddle" run --no-record out/dynamic
gcc -DSTEP=1 -Iinc -c src/n.c -o out/foreign.o && "$heddle" cc -Iinc main.c out/foreign.o -o out/half -pthread
says 'an object of somebody else' 3 'heddle did not compile' "$heddle" run -q --no-record out/half
# objects that the project instruments itself, without frame pointers: rbp holds the address of x, and *rbp = 1 is not a
# store to the stack, which would count as made after the load behind it. x = 1, s = x, y = 1, r = y gives s = r = 1.
printf 'int both(volatile int *store, volatile int *load) { register volatile int *kept __asm__("rbp") = store; __asm__ volatile("" : "+r"(kept)); *kept = 1; return *load; }\n' >src/rbp.c
printf '#include <assert.h>\n#include <pthread.h>\nstatic volatile int x, y;\nstatic int r, s;\nint both(volatile int *, volatile int *);\nstatic void *f(void *a) { r = both(&x, &y); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); s = x; y = 1; pthread_join(t, 0); assert(!(s && r)); }\n' >rbp_main.c
for words in 'gcc -O1' 'gcc -O2 --param tsan-distinguish-volatile=1' 'clang -O1 -mllvm -tsan-distinguish-volatile=1' 'clang -O2'; do
    command -v "${words%% *}" >/dev/null || { echo "skip cc: no ${words%% *} here"; continue; }
    # shellcheck disable=SC2086
    $words -g -fomit-frame-pointer -fsanitize=thread -c src/rbp.c -o out/rbp.o
    says "an instrumented object without frame pointers ($words)" 1 'assertion failed: !\(s && r\)' "$heddle" run -q --no-record --model=sc rbp_main.c out/rbp.o
done
# and by a compiler whose copies of structures are calls of __tsan_memcpy
printf 'struct S { long a[20]; }; struct S from; extern struct S to;\nvoid copy(void) { to = from; }\n' >src/copy.c
printf '#include <pthread.h>\nstruct S { long a[20]; } to;\nvoid copy(void);\nstatic void *f(void *a) { copy(); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); long v = to.a[19]; pthread_join(t, 0); return v == 3; }\n' >copy_main.c
for compiler in clang clang-19; do
    command -v $compiler >/dev/null || { echo "skip cc: no $compiler here"; continue; }
    $compiler -O2 -g -fsanitize=thread -c src/copy.c -o out/copy.o
    says "a copy of a structure in an instrumented object ($compiler)" 1 'data race on to.a' "$heddle" run -q --no-record copy_main.c out/copy.o
done
library=$(ls /usr/lib/x86_64-linux-gnu/libm.so.6 /lib/x86_64-linux-gnu/libm.so.6 2>/dev/null | tail -n 1)
if [ -n "$library" ]; then
    "$heddle" cc -DSTEP=1 -Iinc main.c src/n.c "$library" -o out/system -pthread
    says 'a library of the system by its path' 1 "$bug" "$heddle" run -q --no-record out/system
fi
mkdir -p wrapped/.libs; cp out/one wrapped/.libs/one; printf "#! /bin/sh\n# one - temporary wrapper script for .libs/one\n# The one program cannot be directly executed until all the libtool libraries are installed.\n# This wrapper script should never be moved out of the build directory.\n" >wrapped/one
says 'what libtool hides in .libs' 1 "$bug" "$heddle" run -q --no-record wrapped/one

# what can't be done is said
says 'a program of somebody else' 2 "a program that .heddle cc. did not make" "$heddle" run /bin/true
"$heddle" cc -DSTEP=1 -Iinc main.c src/n.c -Wl,--defsym=x=0 -o out/defsym -pthread; says 'a word for the linker' 2 'linked with -Wl,--defsym=x=0, which heddle can.t repeat' "$heddle" run -q out/defsym
cp src/n.c src/gone.c; "$heddle" cc -DSTEP=1 -Iinc main.c src/gone.c -o out/gone -pthread; rm src/gone.c; says 'a source that is gone' 2 'src/gone.c: No such file' "$heddle" run -q out/gone
# notes from an attacker
objcopy --dump-section .heddle.linked=out/note out/one
sed 's/-DSTEP=1/-fplugin=./' out/note >out/evil; cp out/one out/evil1; objcopy --update-section .heddle.linked=out/evil out/evil1
says 'a note that wants a plug-in' 2 'could run commands.*fplugin' "$heddle" run -q out/evil1
for cut in 1 20 60; do
    head -c -$cut out/note >out/evil; cp out/one out/evil2; objcopy --update-section .heddle.linked=out/evil out/evil2
    says "a note without its last $cut bytes" 2 'the note of .heddle cc. is damaged' "$heddle" run -q out/evil2
done
if find . /tmp -maxdepth 2 -name '*.heddle-note-*' 2>/dev/null | grep -q .; then echo "FAIL cc: notes are left behind"; else echo "ok cc: nothing is left behind"; fi

# advice where the compiler's version is the cause; compilers of the environment
printf 'void __tsan_unheard_of(void *);\nint main(void) { __tsan_unheard_of(0); return 0; }\n' >hook.c
says 'a hook that the runtime does not define' 2 "nothing defines .__tsan_unheard_of'; gcc, version [0-9.]+ calls them of its own accord.*gcc 11 to 14 and clang 14 to 19" "$heddle" run -q --no-record hook.c
printf 'int main(void) { return 0; }\n' >nothing.c
says 'CC is said to be ignored' 0 'heddle: CC=clang-99 of the environment is ignored; --cc=clang-99' env CC=clang-99 "$heddle" run --no-record nothing.c
says 'so is CXX' 0 'heddle: CXX=clang\+\+ of the environment is ignored' env CC=gcc CXX=clang++ "$heddle" run --no-record nothing.c
says 'but not beside --cc' 0 '^ ?holds' env CC=clang-99 "$heddle" run --no-record --cc=gcc nothing.c
says 'nor of a build with heddle-cc' 0 '^ ?holds' env CC=/usr/bin/heddle-cc "$heddle" run --no-record nothing.c

if command -v musl-gcc >/dev/null; then
    says 'another C library' 2 'musl-gcc links with another C library than glibc .musl\?., which heddle does not support' "$heddle" run -q --no-record --cc=musl-gcc nothing.c
else echo "skip cc: no musl-gcc here"; fi

# The runtime is the same whatever a distribution's compiler adds of its own accord.
cd "$here" || exit 2
code_of() { # CC: of a file of the runtime, as the Makefile compiles it
    make -s -n -B CC="$1" build/rt/guest/entry/library/string.c.o | grep ' src/guest/entry/library/string.c' |
        sed "s| -o [^ ]*| -o $work/string.o|; s| -MMD -MP||" | bash
    objdump -dr --no-show-raw-insn "$work/string.o" | grep -v 'file format'
    rm -f "$work/string.o"
}
code_of gcc >"$work/plain.code" 2>"$work/text"
code_of 'gcc -D_FORTIFY_SOURCE=2 -fstack-protector-all -fstack-clash-protection -fcf-protection=full' >"$work/added.code" 2>>"$work/text"
if [ ! -s "$work/plain.code" ]; then echo "FAIL cc: the runtime does not compile: $(head -c 300 "$work/text")"
elif cmp -s "$work/plain.code" "$work/added.code"; then echo "ok cc: the runtime is free of hardening"
else echo "FAIL cc: the runtime with hardening: $(diff "$work/plain.code" "$work/added.code" | grep -m 3 '^[<>]' | tr '\n' ' ')"; fi
