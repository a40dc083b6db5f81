# shellcheck shell=bash
# --trust takes responsibility for what it names, and for nothing else: calls of functions whose effects nobody knows
# (fmemopen, or the program's own shared library) are made by one object, and another object, library, line or function is
# trusted. Each form also runs with the caller trusted. HEDDLE_NIGHTLY=1: both compilers and both languages.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
expect() { # NAME VERDICT TEXT ARGUMENTS...: TEXT, if not empty, is a pattern in the answer
    local name=$1 wanted=$2 text=$3 output got; shift 3
    output=$(timeout 60 "$heddle" run --quiet --no-record "$@" 2>&1 | tr '\n' ' ' | tr -s ' ')
    got=${output%%:*}
    if [ "$got" != "$wanted" ]; then echo "FAIL trust $name: $got instead of $wanted: ${output:0:400}"
    elif [ -n "$text" ] && ! grep -qe "$text" <<<"$output"; then echo "FAIL trust $name: no $text in ${output:0:600}"
    else echo "ok trust $name"; fi
}
cat >fills.c <<'END'
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#endif
void fill(char *to)
{
    FILE *file = fmemopen(to, 8, "w");
    fputc(1, file);
    fclose(file);
}
END
cat >calm.c <<'END'
#ifdef __cplusplus
extern "C"
#endif
long calm(void) { return 4; }
END
# A function with the name, and with the name and the size, of the one that calls.
cat >same.c <<'END'
#include <stdio.h>
static __attribute__((noinline)) void put(char *to) { FILE *file = fmemopen(to, 8, "w"); fputc(1, file); fclose(file); }
#ifdef __cplusplus
extern "C"
#endif
void NAME(char *to) { put(to); }
END
cat >program.c <<'END'
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif
void fill(char *to);
long calm(void);
void another(char *to);
#ifdef __cplusplus
}
#endif
char text[8], apart[8];
static void *thread(void *none) { fill(text); return none; }
int main(void)
{
    pthread_t t;
#ifdef ANOTHER
    another(apart);
#endif
    pthread_create(&t, 0, thread, 0);
    int v = text[0];
    pthread_join(t, 0);
    return v == 3 && calm();
}
END
cp program.c program.cc
unknown="did not compile calls fmemopen"
variants() { # COMPILER SOURCE LEVEL
    local compiler=$1 source=$2 level=$3 name="$1 $2 $3" language=c cc
    [ "${source##*.}" = c ] || language=c++
    cc=("$compiler" -x "$language" "$level" -w)
    if ! "${cc[@]}" -c -o fills.o fills.c || ! "${cc[@]}" -c -o calm.o calm.c || ! "${cc[@]}" -g -c -o lines.o fills.c; then
        echo "FAIL trust $name: it does not compile"; return
    fi
    rm -rf lib && mkdir lib
    ar rc lib/libfills.a fills.o; ar rc lib/libcalm.a calm.o; ar rc lib/libboth.a fills.o calm.o
    run=("--cc=$compiler" "$source" -Llib)
    expect "$name, another object" inconclusive "$unknown" "${run[@]}" fills.o calm.o --trust=calm.o
    expect "$name, the calling object" holds "trusted, as --trust asks: fills.o" "${run[@]}" fills.o calm.o --trust=fills.o
    expect "$name, the calling object, with lines" holds "trusted, as --trust asks: lines.o" "${run[@]}" lines.o calm.o --trust=lines.o
    expect "$name, both objects" holds "trusted, as --trust asks: fills.o" "${run[@]}" fills.o calm.o --trust=fills.o --trust=calm.o
    expect "$name, another archive" inconclusive "$unknown" "${run[@]}" -lfills -lcalm "--trust=library calm"
    expect "$name, the calling archive" holds "trusted, as --trust asks" "${run[@]}" -lfills -lcalm "--trust=library fills"
    expect "$name, another member" inconclusive "$unknown" "${run[@]}" lib/libboth.a "--trust=libboth.a(calm.o)"
    expect "$name, the calling member" holds "trusted, as --trust asks" "${run[@]}" lib/libboth.a "--trust=libboth.a(fills.o)"
    expect "$name, the function that is called" holds "trusted, as --trust asks: .*calls fmemopen" "${run[@]}" fills.o calm.o --trust=fmemopen
    cp lib/libcalm.a lib/libgmock.a
    expect "$name, a test framework" inconclusive "$unknown" "${run[@]}" fills.o -lgmock
    cp lib/libfills.a lib/libgmock.a
    expect "$name, a test framework that calls" holds "the test framework gmock" "${run[@]}" calm.o -lgmock
    "${cc[@]}" -DNAME=fill -c -o one.o same.c && "${cc[@]}" -DNAME=another -c -o two.o same.c
    expect "$name, equal static functions, one" inconclusive "$unknown" "${run[@]}" -DANOTHER one.o two.o calm.o --trust=two.o
    expect "$name, equal static functions, both" holds "" "${run[@]}" -DANOTHER one.o two.o calm.o --trust=two.o --trust=one.o
    "${cc[@]}" -fPIC -shared -o lib/libshares.so fills.c && "${cc[@]}" -fPIC -shared -o lib/libquiet.so calm.c
    expect "$name, another shared library" inconclusive "$unknown" "${run[@]}" -Wl,-rpath,lib -lshares -lquiet "--trust=library quiet"
    expect "$name, the calling shared library" holds "trusted, as --trust asks" "${run[@]}" -Wl,-rpath,lib -lshares -lquiet "--trust=library shares"
    expect "$name, an object beside a shared library" inconclusive "$unknown" "${run[@]}" -Wl,-rpath,lib fills.o -lquiet "--trust=library quiet"
}
variants gcc program.c -O1
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for level in -O0 -O2; do
        variants gcc program.cc $level; variants clang program.c $level; variants clang program.cc $level
    done
fi
# A function is called at two places, and one of them is trusted.
cat >twice.c <<'END'
#include <stdio.h>
#include <threads.h>
static char text[8];
static int thread(void *none)
{
    FILE *file = fmemopen(text, 8, "w"); /* twice.c:6 */
    fputc(1, file);
    fclose(file);
    return !!none;
}
int main(void)
{
    thrd_t t;
    char own[8];
    fclose(fmemopen(own, 8, "w")); /* twice.c:15 */
    thrd_create(&t, thread, 0);
    int v = text[0];
    thrd_join(t, 0);
    return v == 3;
}
END
mkdir folder && cp twice.c folder
expect "one line of two" inconclusive "twice.c:6 calls fmemopen" --trust=twice.c:15 twice.c
expect "the other line" inconclusive "twice.c:15 calls fmemopen" --trust=twice.c:6 twice.c
expect "both lines" holds "twice.c:6 calls.*twice.c:15 calls\|twice.c:15 calls.*twice.c:6 calls" --trust=twice.c:6 --trust=twice.c:15 twice.c
expect "lines of a file in a folder" holds "" --trust=twice.c:6 --trust=twice.c:15 folder/twice.c
# More places than the mapping has room for: they can't be answered for one by one.
awk 'BEGIN { print "#include <stdio.h>\n#include <threads.h>\nint main(void)\n{\n    char own[8];"
    for (i = 0; i < 300; i++) print "    fclose(fmemopen(own, 8, \"w\"));"
    print "    return 0;\n}" }' >many.c
expect "more places than are noted" inconclusive "more places than" --trust=fmemopen many.c
# What inline assembly that is trusted writes is put back before the next execution.
cat >assembly.c <<'END'
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
static int x;
static atomic_int a;
static void bump(void)
{
    __asm__ volatile("push %%rax; pushfq; incl x(%%rip); popfq; pop %%rax" ::: "memory");
}
static int thread(void *none)
{
    atomic_fetch_add(&a, 1);
    return !!none;
}
int main(void)
{
    thrd_t t;
    thrd_create(&t, thread, 0);
    atomic_fetch_add(&a, 1);
    bump();
    atomic_fetch_add(&a, 1);
    thrd_join(t, 0);
    assert(x == EXPECTED);
    return 0;
}
END
expect "inline assembly" holds "all 3 executions" -DEXPECTED=1 --trust=bump assembly.c
expect "inline assembly, wrong" violated "" -DEXPECTED=2 --trust=bump assembly.c
# A function of an object of others that can't be watched, by its name.
printf '%s\n' '.globl calm' '.type calm,@function' 'calm: .cfi_startproc' 'push %rbx' 'xor %eax, %eax' 'cpuid' 'incl count(%rip)' 'mov count(%rip), %eax' 'pop %rbx' 'ret' \
    '.cfi_endproc' '.size calm,.-calm' '.data' 'count: .long 0' '.section .note.GNU-stack' >odd.s
gcc -c -o odd.o odd.s
cat >counts.c <<'END'
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
long calm(void);
static atomic_int a;
static int thread(void *none)
{
    atomic_fetch_add(&a, 1);
    return !!none;
}
int main(void)
{
    thrd_t t;
    thrd_create(&t, thread, 0);
    atomic_fetch_add(&a, 1);
    long calls = calm();
    atomic_fetch_add(&a, 1);
    thrd_join(t, 0);
    assert(calls == 1);
    return 0;
}
END
expect "a function that can't be watched" inconclusive cpuid counts.c odd.o
expect "a function that can't be watched, by name" holds "all 3 executions.*trusted, as --trust asks" --trust=calm counts.c odd.o
exit 0
