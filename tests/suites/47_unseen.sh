# shellcheck shell=bash
# Code that the instrumentation does not announce: a violation is shown whatever else the program contains, its verdict
# depends on what its own execution ran, and nothing holds over an access that nobody saw.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
expect() { # NAME VERDICT-AND-VIOLATION TEXT ARGUMENTS...: TEXT, if not empty, is a pattern in the answer
    local name=$1 wanted=$2 text=$3 output got; shift 3
    output=$(cd "$work" && timeout 60 "$heddle" run --quiet --json "$@" 2>&1)
    # the answer's own verdict comes first; its test cases have theirs
    got=$(grep -o '"verdict": *"[a-z]*"' <<<"$output" | head -n 1 | cut -d '"' -f 4)
    got="$got $(grep -oE '"violation": *("[a-z-]+"|null)' <<<"$output" | head -n 1 | cut -s -d '"' -f 4)"
    if [ "${got% }" != "$wanted" ]; then echo "FAIL unseen $name: ${got% } instead of $wanted: ${output:0:300}"
    elif [ -n "$text" ] && ! grep -qe "$text" <<<"$output"; then echo "FAIL unseen $name: no $text in ${output:0:600}"
    else echo "ok unseen $name"; fi
}
copied=$PWD/tests/unseen/copied.c
expect "library function, locked" holds '"executions": 2,' -DTEST=2 "$copied"
expect "library function, beyond a string" holds "" -DTEST=3 "$copied"
expect "library function, environment" inconclusive wordexp -DTEST=7 "$copied"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    expect "library function, race" "violated race" 'copied.c:' -DTEST=1 "$copied"
    expect "library function, system call" inconclusive canonicalize_file_name -DTEST=5 "$copied"
    expect "library function, end of a string" "violated race" "" -DTEST=4 "$copied"
    expect "library function, call back" holds "" -DTEST=6 "$copied"
    expect "library function, data read" holds "" -DTEST=8 "$copied"
    expect "library function, crash" "violated crash" "" --model=sc -DTEST=1 "$copied"
    expect "library function, exception" inconclusive "tsearch runs" "$PWD/tests/unseen/copied_throw.cc"
fi
printf 'int main(void)\n{\n    int sum = 0;\n#pragma omp parallel for num_threads(2)\n    for (int i = 0; i < 4; i++)\n        sum += i;\n    return sum;\n}\n' >"$work/openmp.c"
expect "refused, OpenMP" inconclusive 'uses OpenMP (GOMP_parallel).*(openmp.c:4)' -fopenmp openmp.c
expect "not confirmed" inconclusive "could not be confirmed after code that heddle can't see" --hang=1s --model=sc \
    "$PWD/tests/unseen/lock_unseen.c"
# What can't be explored is refused with its line.
while IFS='|' read -r reason what; do
    expect "refused, $reason" inconclusive "$reason.*(refused.c:25)" "-DWHAT=$what" -w "$PWD/tests/unseen/refused.c" -latomic
done <<'END'
an atomic object of 3 bytes|atomic_store(&odd, (Odd){{1}})
calls pthread_cancel|pthread_cancel(other)
sends itself signal 10|raise(SIGUSR1)
sends itself signal 12|kill(getpid(), SIGUSR2)
sends a signal to another process|kill(1, SIGUSR1)
calls fork|fork()
the outside world (poll)|poll(&(struct pollfd){0, POLLIN, 0}, 1, 1)
fopen meets a device|fopen("/dev/urandom", "r")
open meets a file whose contents the kernel makes up|open("/proc/self/mem", O_RDWR)
a descriptor that was open before main|close(1)
fcntl with command 8|fcntl(1, F_SETOWN, 1)
opens the named semaphore|sem_open("/name", 0)
makes system call 41 itself|syscall(SYS_socket, 0, 0, 0)
uses futex operation 6|syscall(SYS_futex, text, FUTEX_LOCK_PI, 0, NULL, NULL, 0)
asks where its stacks are|pthread_getattr_np(pthread_self(), (pthread_attr_t *)text)
mremap with MREMAP_FIXED|mremap(text, 4096, 4096, MREMAP_FIXED | MREMAP_MAYMOVE, text)
END
printf '#include <atomic>\nstruct Point { long x, y, z; };\nstd::atomic<Point> point;\nint main()\n{\n    return point.load().x == 7;\n}\n' >"$work/point.cc"
expect "refused, an atomic object of 24 bytes in a header" inconclusive 'an atomic object of 24 bytes.*guard a plain object by a mutex.*(std::atomic<Point>::load.*, atomic:[0-9]*)' point.cc
printf 'static int x;\nstatic void f(void) { }\nint main(void)\n{\n    f();\n    __asm__ volatile("lock; incl %%0" : "+m"(x));\n    return x != 1;\n}\n' >"$work/after_call.c"
expect "a locked instruction behind a call stores no structure" inconclusive "reason.: .after_call.c:6: .lock incl x(%rip). in main is an atomic access that heddle can't see\"" after_call.c
elsewhere=$PWD/tests/unseen/elsewhere.c
expect "never run, right" holds "" "$elsewhere"
expect "run, right" inconclusive "incl x" -DRUN "$elsewhere"
expect "run in some executions, right" inconclusive "incl x" -DAFTER "$elsewhere"
expect "never run, race" "violated race" "" -DRACE "$elsewhere"
expect "run, race" "inconclusive race" "its execution runs code that heddle can't see: .*incl x" -DRACE -DRUN "$elsewhere"
expect "run in other executions, race" "violated race" "" -DRACE -DAFTER "$elsewhere"
expect "trusted by line, race" "violated race" "trusted, as --trust asks" -DRACE -DRUN --trust=elsewhere.c:9 "$elsewhere"
expect "trusted by name" holds "trusted, as --trust asks" -DRUN --trust=bump "$elsewhere"
expect "trust of something else" inconclusive "incl x" -DRUN --trust=main "$elsewhere"
# The record of a doubted violation is kept, and its replay says the same.
cp "$elsewhere" "$work"
(cd "$work" && "$heddle" run --quiet -DRACE -DRUN elsewhere.c >text; "$heddle" replay elsewhere.heddle >replayed)
for file in text replayed; do
    if grep -q '^inconclusive.*race was found' "$work/$file" && grep -q 'The execution:' "$work/$file"; then
        echo "ok unseen doubted $file"
    else echo "FAIL unseen doubted $file: $(head -c 300 "$work/$file")"; fi
done
# Before and after main.
here=$PWD/tests/unseen
expect "thread of a constructor" holds "" "$here/constructor_thread.c"
expect "thread of a constructor, assertion" "violated assertion" "" -DBAD "$here/constructor_thread.c"
expect "thread of a static object" holds "" "$here/constructor_thread.cc"
expect "failing constructor" "violated assertion" "early" "$here/constructor_fails.c"
expect "quick_exit" "violated assertion" "" "$here/quick_exit.c"
# Functions of the program that have the names of library functions which the runtime wraps.
expect "own getline, rand, strlen, memcpy" holds "" -fno-builtin "$here/own_names.c" "$here/own_names_2.c"
# Structures given and returned by value: the runtime stops at what the compiler does not announce.
for model in sc tso; do
    expect "structure given, $model" "violated assertion" "" --model=$model "$here/by_value_given.c"
    expect "structure returned, $model" "violated assertion" "" --model=$model "$here/by_value_returned.c"
done
expect "structure given" "violated race" "" "$here/by_value_given.c"
expect "structure returned" "violated race" "" "$here/by_value_returned.c"
# Small structures travel in registers; built-in functions, and sizes that clang's instrumentation passes over.
overlooked=$here/overlooked.c
expect "small structure given" "violated race" "" -DSMALL=16 "$overlooked"
expect "small structure given, locked" holds '"executions": 2,' -DSMALL=16 -DLOCKED "$overlooked"
expect "small structure given beside setjmp" "violated race" "" -DSETJMP "$overlooked"
expect "small structure given behind a label" "violated race" "" -DLABELS "$overlooked"
expect "long double, clang" "violated race" "" --cc=clang -DLONG "$overlooked"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            for what in -DSMALL={1,2,3,4,7,8,12,16} "-DSMALL=8 -DRETURNED" "-DSMALL=3 -DRETURNED" "-DSMALL=12 -DPOINTER" -DLONG "-DVECTOR -mavx2" \
                -DHALF "-DUNALIGNED -msse3" -DCARRY -DSETJMP -DLABELS -DMANY; do
                # shellcheck disable=SC2086
                expect "overlooked, $compiler $level $what" "violated race" "" --cc=$compiler $level $what "$overlooked"
                # shellcheck disable=SC2086
                expect "overlooked and locked, $compiler $level $what" holds '"executions": 2,' --cc=$compiler $level $what -DLOCKED "$overlooked"
            done
        done
    done
fi
# Memory is fresh until its address is known to others.
published=$here/published.c
for what in -DWHERE=0 -DWHERE=1 "-DLARGE -DWHERE=0" "-DLARGE -DWHERE=5"; do
    # shellcheck disable=SC2086
    expect "published $what" "violated race" "" -O2 $what "$published"
    [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            # shellcheck disable=SC2086
            expect "published, $compiler $level $what" "violated race" "" --cc=$compiler $level $what "$published"
            # shellcheck disable=SC2086
            expect "published, locked, $compiler $level $what" holds '"executions": 2,' --cc=$compiler $level $what -DLOCKED "$published"
        done
    done
done
# Such an access may be moved before the one that was announced.
overtaken=$here/overtaken.c
expect "overtaken store" holds "" --model=sc -O2 "$overtaken"
expect "overtaken store, both racing" holds "" --model=sc -O2 -DSHARED "$overtaken"
expect "overtaken store, found as it was" "violated assertion" "" --model=sc -O2 -DEARLY "$overtaken"
expect "store that is not overtaken, found as it was" "violated assertion" "" --model=sc -O1 -DEARLY "$overtaken"
expect "overtaken load" "violated assertion" "" --model=sc -O2 -DLOAD "$overtaken"
expect "overtaken load, volatile" "violated assertion" "" -Os -DLOAD -DVOLATILE "$overtaken"
# Fresh memory that a function fills which returns a structure.
filled=$here/filled.c
expect "filled" holds '"executions": 3,' -Os "$filled"
expect "filled by additions" holds '"executions": 3,' -Os -DUPDATED "$filled"
expect "filled through a pointer" holds '"executions": 3,' -Os -DPOINTER "$filled"
expect "filled, wrong" "violated assertion" "" -Os -DMISSED "$filled"
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            for model in sc tso; do
                for what in -DALONE -DSHARED -DVOLATILE "-DVOLATILE -DSHARED"; do
                    # shellcheck disable=SC2086
                    expect "overtaken store, $compiler $level $model $what" holds "" --cc=$compiler --model=$model $level $what "$overtaken"
                done
                for what in -DLOAD "-DLOAD -DVOLATILE" -DEARLY "-DEARLY -DVOLATILE" "-DEARLY -DSHARED"; do
                    # shellcheck disable=SC2086
                    expect "overtaken, $compiler $level $model $what" "violated assertion" "" --cc=$compiler --model=$model $level $what "$overtaken"
                done
            done
            for what in -DSTORED -DUPDATED -DPOINTER "-DPOINTER -DUPDATED"; do
                # shellcheck disable=SC2086
                expect "filled, $compiler $level $what" holds '"executions": 3,' --cc=$compiler $level $what "$filled"
                # shellcheck disable=SC2086
                expect "filled, wrong, $compiler $level $what" "violated assertion" "" --cc=$compiler $level $what -DMISSED "$filled"
            done
        done
    done
fi
# GoogleTest as a distribution packs it, with its own main, and Catch2: each test case by itself.
if [ -e /usr/include/gtest/gtest.h ]; then
    expect "GoogleTest, cases" "violated race" '"name": "Queue.Put", "verdict": "holds".*"name": "Queue.Race", "verdict": "violated", "violation": "race".*"name": "Order.Fails", "verdict": "violated", "violation": "assertion", "message": "EXPECT failed: Expected equality of these values: 0, order.load(), Which is: 1 (test_cases.cc:29)"' --no-record --junit=cases.xml "$here/test_cases.cc" -lgtest_main -lgtest
    if [ "$(grep -c '<testcase' "$work/cases.xml") $(grep -c '<failure' "$work/cases.xml")" = "3 2" ] && grep -q 'name="Queue.Race"' "$work/cases.xml"; then echo "ok unseen GoogleTest, junit"
    else echo "FAIL unseen GoogleTest, junit: $(head -c 300 "$work/cases.xml")"; fi
    expect "GoogleTest, wanted failures" "violated assertion" '"name": "Wanted.Failure", "verdict": "holds".*"name": "Wanted.Skip", "verdict": "holds".*"name": "Unwanted.Failure", "verdict": "violated", "violation": "assertion", "message": "ASSERT failed: Value of: v < 3, Actual: false, Expected: true; v is 3 (wanted_failures.cc:19)"' --no-record "$here/wanted_failures.cc" -lgtest_main -lgtest
    expect "GoogleTest, one case by filter" holds '"cases": \[{"name": "Queue.Put"[^{]*\]' --no-record "$here/test_cases.cc" -lgtest_main -lgtest -- --gtest_filter=Queue.Put
    expect "GoogleTest, an atomic object on the stack before" holds '"verdict": "holds".*"verdict": "holds"' --no-record -std=c++20 "$here/framework_crash.cc" -lgtest_main -lgtest
    [ -z "${HEDDLE_NIGHTLY:-}" ] || expect "GoogleTest, a crash of the program" "violated crash" "framework_crash.cc:4" --no-record -std=c++20 -DOWN "$here/framework_crash.cc" -lgtest_main -lgtest -- --gtest_filter=Ring.Empty
    [ -z "${HEDDLE_NIGHTLY:-}" ] || [ ! -e /usr/src/googletest/googletest/src/gtest-all.cc ] ||
        expect "GoogleTest, compiled with the program" holds "" --no-record -std=c++20 -I/usr/src/googletest/googletest "$here/framework_crash.cc" /usr/src/googletest/googletest/src/gtest-all.cc /usr/src/googletest/googletest/src/gtest_main.cc -- --gtest_filter=Ring.Empty
else echo "skip unseen GoogleTest: it is not installed"; fi
# A compilation of Catch2 takes 5 s.
expect "a REQUIRE laid out like Catch2's" "violated assertion" '"message": "REQUIRE(n == 2) failed (catch_layout.cc:[0-9]*)"' --no-record "$here/catch_layout.cc"
if [ -z "${HEDDLE_NIGHTLY:-}" ]; then echo "skip unseen Catch2: at night only"
elif [ -e /usr/lib/libCatch2WithMain.a ]; then
    catch=("$here/catch_cases.cc" -DMAIN_IN_LIBRARY -lCatch2WithMain)
    expect "Catch2, cases" "violated race" '"name": "put, then look", "verdict": "holds".*"name": "a race", "verdict": "violated", "violation": "race".*"name": "fails in some orders", "verdict": "violated", "violation": "assertion", "message": "REQUIRE(seen == 0) failed (catch_cases.cc:34)"[^{]*\]' "${catch[@]}"
    for record in a-race fails-in-some-orders; do
        "$heddle" replay -q --allow-outside "$work/catch_cases-$record.heddle" >"$work/out" 2>&1; status=$?
        if [ $status = 1 ]; then echo "ok unseen Catch2, replay of $record"; else echo "FAIL unseen Catch2, replay of $record: status $status: $(head -n 3 "$work/out")"; fi
    done
    expect "Catch2, one case by name" holds '"cases": \[{"name": "put, then look"[^{]*\]' --no-record "${catch[@]}" -- -r compact 'put\, then look'
    expect "Catch2, by tag" "violated assertion" '"cases": \[{"name": "fails in some orders"[^{]*\]' --no-record "${catch[@]}" -- '[order]'
    expect "Catch2, its main in the header" "violated race" '"name": "put, then look", "verdict": "holds".*"message": "REQUIRE(seen == 0) failed (catch_cases.cc:34)"' --no-record "$here/catch_cases.cc"
else echo "skip unseen Catch2: it is not installed"; fi
# Gathers and masked moves are performed lane by lane, in our own code and in that of others.
if grep -qw avx2 /proc/cpuinfo; then
    expect "lanes" holds "" -w -mavx2 -O1 -DROUNDS=3 "$here/lanes.c"
    for which in 1 2 3; do
        [ -n "${HEDDLE_NIGHTLY:-}$([ $which != 1 ] || echo 1)" ] || continue
        expect "lanes, race $which under sc" "violated assertion" "" --model=sc -w -mavx2 -DRACE=$which "$here/lanes.c"
        expect "lanes, race $which" "violated race" "" -w -mavx2 -DRACE=$which "$here/lanes.c"
        [ -z "${HEDDLE_NIGHTLY:-}" ] || expect "lanes apart $which" holds "" -w -mavx2 -DRACE=$which -DAPART "$here/lanes.c"
    done
    gcc -w -mavx2 -O2 -DROUNDS=3 -c -o "$work/lanes.o" "$here/lanes.c" && echo 'int nothing;' >"$work/nothing.c"
    expect "lanes of a foreign object" holds "are watched" "$work/nothing.c" "$work/lanes.o"
else echo "skip unseen lanes: this processor has no AVX2"; fi
expect "arguments of the program" holds "" "$here/arguments.c" -- one two
# An object that was not compiled by heddle is watched.
for level in -O0 -O2; do
    gcc $level -c -o "$work/foreign_object$level.o" "$here/foreign_object.c"
    expect "foreign object $level, race" "inconclusive race" "may be atomic in its source.*are watched" "$here/foreign.c" "$work/foreign_object$level.o"
    expect "foreign object $level, race under sc" "violated assertion" "" --model=sc "$here/foreign.c" "$work/foreign_object$level.o"
    expect "foreign object $level, locked" holds "" -DLOCKED "$here/foreign.c" "$work/foreign_object$level.o"
done
g++ -O2 -c -o "$work/calls.o" "$here/foreign_calls_object.cc"
expect "foreign object, calls through memory" "violated assertion" "" --model=sc -DRACE "$here/foreign_calls.cc" "$work/calls.o"
for level in -O0 -O2; do
    [ -n "${HEDDLE_NIGHTLY:-}" ] || continue
    g++ $level -c -o "$work/calls.o" "$here/foreign_calls_object.cc"
    expect "foreign object $level, calls that do not race" holds "" "$here/foreign_calls.cc" "$work/calls.o"
done
# So are the members of an archive that -l names; one that the linker leaves out is nobody's concern.
echo 'long left_out(long *to) { __asm__("rdtsc"); return __atomic_fetch_add(to, 1, 5); }' | gcc -x c -O2 -c -o "$work/left_out.o" -
ar rc "$work/libforeign.a" "$work/foreign_object-O2.o" "$work/left_out.o"
expect "foreign archive by name, locked" holds "are watched" -DLOCKED "$here/foreign.c" "-L$work" -lforeign
expect "foreign archive by name, trusted" holds "" -DLOCKED "$here/foreign.c" "-L$work" -lforeign "--trust=library foreign"
for model in sc tso pso; do
    expect "foreign object, failed compare-exchange under $model" holds '"executions": 3,' --model=$model "$here/foreign_fence.c" "$work/foreign_object-O2.o"
    expect "inline assembly, failed compare-exchange under $model" holds '"executions": 3,' --model=$model -DINLINE "$here/foreign_fence.c"
done
expect "foreign object, release store under tso" holds "" --model=tso "$here/foreign_atomic.c" "$work/foreign_object-O2.o"
expect "foreign object, release store" "inconclusive race" "may be atomic in its source" "$here/foreign_atomic.c" "$work/foreign_object-O2.o"
# What it calls and nobody knows is told, though its line is not known.
printf '%s\n' '#include <stdio.h>' 'void fill(char *to) { FILE *file = fmemopen(to, 8, "w"); fputc(1, file); fclose(file); }' |
    gcc -x c -O1 -c -o "$work/fills.o" -
printf '%s\n' '#include <threads.h>' 'void fill(char *to); char text[8];' 'int thread(void *none) { fill(text); return !!none; }' \
    'int main(void) { thrd_t t; thrd_create(&t, thread, 0); int v = text[0]; thrd_join(t, 0); return v == 3; }' >"$work/filled.c"
expect "foreign object, unknown function" inconclusive "did not compile calls fmemopen" "$work/filled.c" "$work/fills.o"
# A shared library is watched, with symbols or without; where it can't be, its functions count when they are called.
for source in odd:'__asm__ volatile("cpuid" : : "a"(0) : "ebx", "ecx", "edx"); return 1;' even:'static long calls; return ++calls;'; do
    echo "const char *version_of(void) { static char text[2]; text[0] = (char)text_of(); return text; }" |
        cat <(echo "static long text_of(void) { ${source#*:} }") - | gcc -x c -O1 -fPIC -shared -o "$work/lib${source%%:*}.so" -
done
strip "$work/libeven.so"
# Never executed here: a processor without AVX-512 would stop at it. In a library it is refused by the name of the call.
printf '%s\n' '.globl version_of' '.type version_of,@function' 'version_of: .cfi_startproc' 'lea text(%rip), %rax' 'cmp $1, %rsp' 'ja 1f' \
    'vmovdqu64 %zmm0, (%rax)' '1: ret' '.cfi_endproc' '.size version_of,.-version_of' '.data' 'text: .zero 64' '.section .note.GNU-stack' >"$work/wide.s"
gcc -shared -o "$work/libwide.so" "$work/wide.s"
library=("-L$work" "-Wl,-rpath,$work" "$here/shared_library.c")
expect "shared library, never called" holds "" "${library[@]}" -lodd
expect "shared library, called" inconclusive "shared_library.c:.* calls version_of" -DCALL "${library[@]}" -lodd
expect "shared library, trusted" holds "trusted, as --trust asks" -DCALL --trust=version_of "${library[@]}" -lodd
expect "shared library, never called, race" "violated race" "" -DRACE "${library[@]}" -lodd
expect "shared library, called, race" "inconclusive race" "version_of" -DRACE -DCALL "${library[@]}" -lodd
expect "shared library with AVX-512, called" inconclusive "shared_library.c:.* calls version_of" -DCALL "${library[@]}" -lwide
expect "shared library with AVX-512, called, race" "inconclusive race" "version_of" -DRACE -DCALL "${library[@]}" -lwide
gcc -c -o "$work/wide.o" "$work/wide.s"
expect "object with AVX-512" inconclusive "vmovdqu64" -DCALL "$here/shared_library.c" "$work/wide.o"
expect "shared library, watched" holds "are watched" -DCALL "${library[@]}" -leven
expect "shared library, watched, its own variable" "inconclusive race" "may be atomic in its source" -DBOTH "${library[@]}" -leven
# Every way to write an attribute against instrumentation compiles.
for compiler in gcc clang; do
    expect "attributes, $compiler" holds "" --cc=$compiler -w "$here/attributes.c"
    expect "attributes of C++, $compiler" holds "" --cc=$compiler -w "$here/attributes.cc"
done
