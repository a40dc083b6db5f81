# Builds that are kept in the folder HEDDLE_BUILDS names (tool/instrument/builds.h): taken when the compilers would make the
# same files again, made again when anything differs. A compiler that counts its starts tells which it was.
[ -x build/heddle ] || { echo "skip kept: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
heddle=$PWD/build/heddle
say() { if [ "$1" = 0 ]; then echo "ok kept: $2"; else echo "FAIL kept: $2: $3"; fi; }
mkdir "$work/bin"
for cc in gcc g++; do
    printf '#!/bin/sh\necho >>"%s/starts"\nexec /usr/bin/%s "$@"\n' "$work" "$cc" >"$work/bin/$cc"
    chmod +x "$work/bin/$cc"
done
[ -x /usr/bin/gcc ] && [ -x /usr/bin/g++ ] || { echo "skip kept: no /usr/bin/gcc"; exit 0; }
PATH=$work/bin:$PATH
export HEDDLE_BUILDS=$work/builds
cd "$work" || exit 1
# NAME built|taken VERDICT OPTION...: the verdict, and whether a compiler was started
try() {
    local name=$1 how=$2 verdict=$3 got starts
    shift 3
    rm -f starts
    got=$("$heddle" run --json --quiet --no-record "$@" 2>errors | awk -v keys=verdict -f "$json")
    starts=taken; [ ! -e starts ] || starts=built
    [ "$got $starts" = "$verdict $how" ]; say $? "$name" "$got, $starts instead of $verdict, $how: $(head -n 2 errors)"
}
json=${heddle%/build/heddle}/tests/json.awk
# store buffering: both loads see 0 in tso, not in sc
cat >sb.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "order.h"
static atomic_int x, y;
static int a, b;
static void *first(void *p) { atomic_store_explicit(&x, 1, ORDER); a = atomic_load_explicit(&y, ORDER); return p; }
static void *second(void *p) { atomic_store_explicit(&y, 1, ORDER); b = atomic_load_explicit(&x, ORDER); return p; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(a || b);
    return 0;
}
END
weak='#define ORDER memory_order_relaxed' strong='#define ORDER memory_order_seq_cst'
echo "$weak" >order.h
try "the first time" built violated sb.c
try "the second time" taken violated sb.c
try "another model" taken holds --model=sc sb.c
try "one more" taken violated --model=tso sb.c
try "no reductions" taken violated --no-reductions sb.c
try "other words for the compiler" built violated -O1 sb.c
try "these again" taken violated -O1 sb.c
try "the first ones again" taken violated sb.c
try "another path to the file" built violated ./sb.c
CPATH=$work try "a variable that compilers read" built violated sb.c
# runs of many events are built twice in one workspace, the second time with another runtime: neither spoils the other
echo 'int main(void) { static _Atomic int x; for (int i = 0; i < 9000; i++) x++; return x != 9000; }' >events.c
try "many events" built holds events.c
try "many events again" taken holds events.c
try "the first ones after that" taken violated sb.c
# what has changed
echo "$strong" >order.h
try "a header has changed" built holds sb.c
try "the header that has changed" taken holds sb.c
sed -i 's/a || b/a \&\& b/' sb.c
try "the file has changed" built violated sb.c
touch bin/gcc
try "the compiler has changed" built violated sb.c
try "the compiler that has changed" taken violated sb.c
for file in builds/*/program; do rm "$file"; done
try "the program is gone" built violated sb.c
for file in builds/*/key; do echo more >>"$file"; done
try "the key is another one" built violated sb.c
rm -rf builds
# what is not kept
sed 's/a && b/(({ __asm__("mfence" ::: "memory"); }), a || b)/' sb.c >assembly.c
try "inline assembly, whose meaning depends on the model" built holds assembly.c
try "inline assembly again" built holds assembly.c
sed 's/^int main/static int unused;\nint main/; s/a && b/a || b/' sb.c >warns.c
for round in first second; do
    try "a warning, the $round time" built holds -Wall warns.c
    grep -q 'unused' errors; say $? "the warning is printed the $round time" "$(cat errors)"
done
gcc -c -o main.o sb.c
try "an object of others" built inconclusive main.o
# C++ files have other templates without reductions
printf '#include <atomic>\nint main() { std::atomic<int> x{1}; return x.load() - 1; }\n' >one.cpp
try "C++" built holds one.cpp
try "C++ without reductions" built holds --no-reductions one.cpp
try "C++ again" taken holds one.cpp
unset HEDDLE_BUILDS
try "nothing is kept unless asked for" built violated sb.c
! find "$work/builds" -mindepth 1 -name '??????' | grep -q .; say $? "nothing half done is left" "$(ls builds)"
