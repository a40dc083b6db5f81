#!/usr/bin/env bash
# tests/aarch64.sh [--every=N | COMMAND...]: programs for AArch64 by the tool of this machine: cross compiler, the runtime of
# build-aarch64 (which this makes), and qemu as the interpreter, in a private user namespace (Linux 6.7 or later): nothing is
# changed outside. Without a COMMAND: what the tool reads off whole libraries, against the disassembler's text; code that nobody
# announces; every row of the oracle and program of tests/programs (every Nth), whose answers are those of x86-64, or
# inconclusive where tests/aarch64.open says so. With one, it runs where AArch64 programs can. HEDDLE_QEMU names the qemu:
# version 10 starts 40 times faster than 7.2.
set -u
cd "$(dirname "$0")/.." || exit 2
cc=aarch64-linux-gnu-gcc
qemu=${HEDDLE_QEMU:-$(command -v qemu-aarch64-static || command -v qemu-aarch64)}
for needed in $cc "${qemu:-qemu-aarch64-static}" unshare; do
    command -v "$needed" >/dev/null || { echo "skip aarch64: no $needed here"; exit 0; }
done
inside() { # COMMAND...
    # shellcheck disable=SC2016
    unshare -Urm --propagation private bash -c '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || exit 77
        magic="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
        mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
        printf "%s" ":heddle-aarch64:M::$magic:$mask:$1:F" >/proc/sys/fs/binfmt_misc/register || exit 77
        shift; export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu HEDDLE_RUNTIME=$PWD/build-aarch64/lib/heddle_rt.o
        exec "$@"' _ "$qemu" "$@"
}
inside true || { echo "skip aarch64: no binfmt_misc of a user namespace's own here"; exit 0; }
make -s -j"$(nproc)" CC=$cc runtime || { echo "FAIL aarch64: the runtime does not compile"; exit 1; }
every=1
case ${1:-} in --every=*) every=${1#*=}; shift ;; esac
[ $# = 0 ] || { inside "$@"; exit; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# each instruction: registers, operands, branches
gcc -O1 -D_GNU_SOURCE -Isrc -Iinclude -o "$work/words" tests/helpers/aarch64_words.c build/tool.a -ldw -lelf -lcapstone -ljansson -lz -lm
for file in build-aarch64/lib/heddle_rt.o /usr/aarch64-linux-gnu/lib/libm.so.6; do
    if "$work/words" $file | python3 tests/helpers/aarch64_words.py >"$work/differ"; then echo "ok aarch64: $(tail -n 1 "$work/differ") in $file"
    else echo "FAIL aarch64: the code of $file: $(head -n 3 "$work/differ")"; fi
done

# what is known of frames, against what the compiler told the unwinder; programs whose dead bytes are overwritten at each request
gcc -O1 -D_GNU_SOURCE -Isrc -Iinclude -o "$work/table" tests/helpers/liveness_table.c build/tool.a -ldw -lelf -lcapstone -ljansson -lz -lm
for source in tests/programs/waiting/mcs.c tests/oracle/msqueue.c tests/programs/waiting/exceptions.cpp; do
    for level in -O0 -O1 -O2; do
        compiler=$cc
        [[ $source != *.cpp ]] || compiler=${cc%gcc}g++
        # shellcheck disable=SC2046
        if $compiler $level -g -w -fno-omit-frame-pointer -fsanitize=thread --param tsan-distinguish-volatile=1 -mbranch-protection=none \
            -fno-pie -fno-jump-tables -Iinclude -DN=3 -DP=2 -DQ=2 -c -o "$work/p.o" $source &&
            $compiler -no-pie -o "$work/p" "$work/p.o" build-aarch64/lib/heddle_rt.o -Wl,-z,now @build-aarch64/lib/wrap.args -ldl -lpthread -lm &&
            said=$("$work/table" "$work/p" "$work/p.table" check); then echo "ok aarch64 frames: $source $level: ${said##*$'\n'}"
        else echo "FAIL aarch64 frames: $source $level: $(tail -n 3 <<<"${said:-}")"; fi
    done
done
inside env HEDDLE_DEBUG=graph-symmetry=never,eager-confirm,torture=random EVERY=$((every * 4)) PARALLEL=1 bash tests/oracle.sh --cc=$cc |
    sed '$!s/^/FAIL aarch64 torture: /; $s/^/ok aarch64 torture: /'

# NAME WANTED REASON [OPTION...] <TEXT: the answer to a program, and words of it
expect() {
    local name=$1 want=$2 why=$3 answer got reason
    shift 3
    cat >"$work/$name.c"
    answer=$(inside timeout 120 build/heddle run --json --quiet --no-record --no-repair --cc=$cc "$@" "$work/$name.c" 2>"$work/errors")
    IFS=$'\t' read -r got reason <<<"$(awk -v keys="verdict reason" -f tests/json.awk <<<"$answer")"
    if [ "$got" = "$want" ] && [[ $answer == *"$why"* ]]; then echo "ok aarch64: $name: $got"
    else echo "FAIL aarch64: $name: $got instead of $want $why ($reason) $(head -c 300 "$work/errors")"; fi
}
expect barrier_in_assembly inconclusive 'a fence' <<<'int x; int main(void) { __asm__ volatile("dmb ish" ::: "memory"); return x; }'
expect load_in_assembly inconclusive 'a memory access' <<<'int x; int main(void) { int y; __asm__ volatile("ldr %w0, [%1]" : "=r"(y) : "r"(&x)); return y; }'
expect behind_a_number inconclusive 'a memory access' <<<'int x; int main(void) { long y = (long)&x; __asm__ volatile("add %0, %0, #0; str wzr, [%0]" : "+r"(y)); return x; }'
expect exclusive inconclusive 'an atomic access' <<<'int x; int main(void) { int y; __asm__ volatile("1: ldxr %w0, [%1]; stxr w9, %w0, [%1]; cbnz w9, 1b" : "=&r"(y) : "r"(&x) : "w9", "memory"); return y; }'
expect outlined inconclusive 'an atomic access' <<<'int x; int main(void) { int y; __asm__ volatile("mov w0, #1; mov x1, %1; bl __aarch64_ldadd4_acq_rel; mov %w0, w0" : "=r"(y) : "r"(&x) : "x0", "x1", "x16", "x17", "x30", "memory"); return y; }'
expect outlined_at_the_end inconclusive 'an atomic access' <<'END'
int x, add(void);
__asm__(".pushsection .text; .globl add; .type add, %function; add: mov w0, #1; adrp x1, x; add x1, x1, :lo12:x; b __aarch64_ldadd4_acq_rel; .size add, .-add; .popsection");
int main(void) { return add(); }
END
expect outlined_by_address inconclusive 'an atomic access' <<<'int x, __aarch64_ldadd4_acq_rel(int, int *), (*add)(int, int *) = __aarch64_ldadd4_acq_rel; int main(void) { return add(1, &x); }'
expect as_long_data inconclusive 'given as data' <<<'int main(void) { __asm__ volatile(".xword 0xd503201fd503201f"); return 0; }'
expect as_data inconclusive 'given as data' <<<'int main(void) { __asm__ volatile(".inst 0xd503201f"); return 0; }'
expect arithmetic holds '' <<<'int main(void) { long y = 1; __asm__ volatile("add %0, %0, #2; yield" : "+r"(y)); return y != 3; }'
expect nested inconclusive 'nested functions' <<'END'
#include <pthread.h>
int main(void)
{
    int x = 0;
    pthread_t t;
    void *add(void *p) { x++; return p; }
    pthread_create(&t, 0, add, 0);
    pthread_join(t, 0);
    return x != 1;
}
END

# clang leaves the loads of atomics behind their hooks, and writes tables for the unwinder in another form
mkdir "$work/bin"
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
    for name in clang clang++; do
        printf '#!/bin/sh\nexec %s --target=aarch64-linux-gnu "$@"\n' "$name" >"$work/bin/aarch64-$name"
    done
    chmod +x "$work"/bin/aarch64-clang*
    PATH=$PATH:$work/bin
    expect left_behind violated race --cc=aarch64-clang <<'END'
#include <pthread.h>
#include <stdatomic.h>
_Atomic int ready, *_Atomic pointer;
_Atomic __int128 wide;
int x;
void *work(void *p) { x = 1; pointer = &ready; ready = 1; wide = 1; return p; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int seen = pointer && ready && wide ? x : 0;
    x++;
    pthread_join(t, 0);
    return seen;
}
END
    expect left_local violated use-after-free --cc=aarch64-clang <<'END'
#include <pthread.h>
int *_Atomic shown;
__attribute__((noinline)) void show(void) { int local = 1; shown = &local; }
void *work(void *p) { show(); return p; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    int *seen = shown, value = seen ? *seen : 0;
    pthread_join(t, 0);
    return value;
}
END
    inside env EVERY=$((every * 8)) PARALLEL=1 bash tests/oracle.sh --cc=aarch64-clang | sed '$!s/^/FAIL aarch64 clang: /; $s/^/ok aarch64 clang: /'
    inside env COMPILERS=aarch64-clang EVERY=$((every * 8)) OMP_NUM_THREADS=1 bash tests/suites/40_programs.sh
else echo "skip aarch64 clang: there is none here"
fi

# a record is of the processor's code; here another processor's compiler is called gcc
build/heddle run --quiet --no-repair --record="$work/record" tests/programs/wrong/mp_relaxed.c >"$work/answer" 2>&1
ln -s "$(command -v $cc)" "$work/bin/gcc"
inside env PATH="$work/bin:$PATH" build/heddle replay "$work/record" >"$work/answer" 2>&1
if [ $? = 2 ] && grep -q 'program for x86-64, and this one is for AArch64' <(tr -s '\n ' ' ' <"$work/answer"); then echo "ok aarch64: a record of x86-64 is refused"
else echo "FAIL aarch64: a record of x86-64: $(head -n 3 "$work/answer")"; fi

inside env EVERY="$every" PARALLEL=1 bash tests/oracle.sh --cc=$cc | sed '$!s/^/FAIL aarch64 oracle: /; $s/^/ok aarch64 oracle: /'
# programs whose answer is open there are inconclusive; qemu does not repeat addresses in every run, so a replay is tried three times
inside env COMPILERS=$cc EVERY="$every" OMP_NUM_THREADS=1 bash tests/suites/40_programs.sh >"$work/programs"
while read -r line; do
    file=$(sed -n 's/^FAIL \([^:]*\):.*/\1/p' <<<"$line")
    for _ in 1 2; do
        [[ $line != *"could not be confirmed"* ]] || line=$(inside env COMPILERS=$cc PROGRAMS="${file//+/[+]}" bash tests/suites/40_programs.sh)
    done
    if [[ $line == FAIL* ]] && grep -q "^$file " tests/aarch64.open && [[ $line == *" inconclusive"*" instead of "* || $line == *" executions instead of "* ]]; then
        line="ok $file: open on AArch64"
    fi
    echo "$line"
done <"$work/programs"
