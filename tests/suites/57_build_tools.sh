# Projects that have a build already: compile_commands.json, by hand and as CMake writes it.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir -p src inc tests build
echo 'int put(int);' >inc/q.h
printf '#include "q.h"\n#include <string.h>\nint put(int x) { return x < LIMIT && strlen(TEXT) == 3; }\n' >src/q.c
printf '#include "q.h"\n#include <assert.h>\n#include <pthread.h>\nstatic void *f(void *a) { assert(put(1)); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return LIMIT - 3; }\n' >tests/t.c
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.10)
project(q C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(q STATIC src/q.c)
target_include_directories(q PUBLIC inc)
target_compile_definitions(q PUBLIC LIMIT=3 "TEXT=\"a b\"")
add_executable(t tests/t.c)
target_link_libraries(t q pthread)
TEXT
says() {
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$@" >out 2>&1; got=$?
    if [ $got = "$status" ] && tr -s '\n ' ' ' <out | grep -qE -- "$pattern"; then echo "ok project: $name"; else echo "FAIL project: $name: exit status $got, not $status: $(head -c 400 out)"; fi
}
says 'without its flags' 2 'does not compile|do not compile' "$heddle" run -q tests/t.c src/q.c
# list DIRECTORY FILE COMMAND
list() { printf '[{"directory": "%s", "file": "%s", "command": "%s"},\n {"directory": "%s", "file": "src/q.c", "arguments": ["cc", "-Iinc", "-DLIMIT=3", "-DTEXT=\\"a b\\"", "-c", "src/q.c"]}]\n' "$1" "$2" "$3" "$PWD" >build/compile_commands.json; }
list "$PWD" tests/t.c "cc -Iinc -DLIMIT=3 '-DTEXT=\\\"a b\\\"' -O2 -fsanitize=address -o x.o -c tests/t.c"
says 'a command and a list of words' 0 'flags of 2 files from build/compile_commands.json: .*holds' "$heddle" run -p build tests/t.c src/q.c
list "$PWD/tests" t.c "cc -I../inc -DLIMIT=3 '-DTEXT=\\\"a b\\\"' -c t.c"
says 'paths from another folder' 0 '^holds' "$heddle" run -q -p build tests/t.c src/q.c
list "$PWD/tests" t.c "cc -I $PWD/inc -DLIMIT=4 -c t.c"
says 'a word of the command line comes last' 0 '^holds' "$heddle" run -q -p build -ULIMIT -DLIMIT=3 '-DTEXT="a b"' tests/t.c -include src/q.c
says 'files that have other flags' 1 'each with its own; 0 more.*violated: exit-status' "$heddle" run -p build --record=own.heddle tests/t.c src/q.c
says 'and their record' 1 'violated: exit-status' "$heddle" replay -q own.heddle
says 'what is to be linked is found' 1 'flags of 1 file .* 1 more to link from.*violated: exit-status' "$heddle" run -p build --link=all --record=all.heddle tests/t.c
says 'and its record' 1 'violated: exit-status' "$heddle" replay -q all.heddle
elsewhere=$(mktemp -d); cp build/compile_commands.json "$elsewhere"; "$heddle" run -q -p "$elsewhere" --link=all --record=far.heddle tests/t.c >/dev/null
says 'a record that wants a list from elsewhere' 2 'files from outside this folder' "$heddle" replay -q far.heddle
says 'which is allowed' 1 'violated: exit-status' "$heddle" replay -q --allow-outside far.heddle
rm -rf "$elsewhere"
says 'nothing to link from' 2 '--link=all takes the sources from the list' "$heddle" run --link=all tests/t.c
says 'something else to link' 2 '--link is all' "$heddle" run -p build --link=some tests/t.c
list "$PWD" other.c "cc -c other.c"
says 'a file that is not in it: flags of its neighbour, which is linked' 0 'flags of 1 file .*t.c as src/q.c.: .*nothing defines .put.: looking among .* 1 more to link from: src/q.c holds' "$heddle" run -p build tests/t.c
says 'with its own words last' 1 'violated: exit-status' "$heddle" run -q -p build -ULIMIT -DLIMIT=4 --record=near.heddle tests/t.c
says 'and the record of that' 1 'violated: exit-status' "$heddle" replay -q near.heddle
printf '[{"directory": "%s", "file": "other.cc", "command": "c++ -c other.cc"}]' "$PWD" >build/compile_commands.json
touch other.cc; says 'no file in its language' 2 'none of the files that are named is in it, nor any in their language' "$heddle" run -q -p build tests/t.c
printf 'int nowhere(void); int main(void) { return nowhere(); }' >tests/n.c; list "$PWD" tests/n.c "cc -c tests/n.c"
says 'what nothing in the list defines' 2 "undefined reference.*the program does not link: nothing defines .nowhere.; name the file" "$heddle" run -q -p build tests/n.c
list "$PWD" tests/t.c "cc -fplugin=./evil.so -c tests/t.c"
says 'a flag that runs something' 2 'could run commands.*fplugin' "$heddle" run -q -p build tests/t.c
echo '{"a": [' >build/compile_commands.json; says 'no list' 2 'is no list of compilations' "$heddle" run -q -p build tests/t.c
# specifications in comments are found with the flags of their file, too
if ! "$heddle" check --quiet --no-record "$root/tests/annotations/holds/cell.c" 2>&1 | grep -q 'need libclang'; then
    { printf '#include "q.h"\n#if LIMIT != 3\n#error flags\n#endif\n'; cat "$root/tests/annotations/holds/cell.c"; } >tests/cell.c
    list "$PWD" tests/cell.c "cc -Iinc -DLIMIT=3 -c tests/cell.c"
    says 'annotations' 0 '^holds' "$heddle" check -q --no-record -p build tests/cell.c src/q.c
fi
rm build/compile_commands.json; says 'no file' 2 'No such file' "$heddle" run -q -p build tests/t.c
if command -v cmake >/dev/null && cmake -S . -B cmade >/dev/null 2>&1 && [ -f cmade/compile_commands.json ]; then
    says 'as CMake writes it' 0 '^holds' "$heddle" run -q -p cmade tests/t.c src/q.c
    # objects that the project compiles with -fsanitize=thread need no further flags
    (cmake -S . -B instrumented -DCMAKE_C_FLAGS='-fsanitize=thread -O0 -g' && make -C instrumented q) >/dev/null 2>&1
    says 'an archive that was compiled with -fsanitize=thread' 0 '^holds' "$heddle" run -q -p cmade tests/t.c instrumented/libq.a
else echo "skip project: no cmake here"; fi

# Meson: the tool as a subproject, where it is not installed
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    cp -r "$root/examples/projects/meson" with_meson && mkdir with_meson/subprojects && cp "$root/tools/meson/heddle.wrap" with_meson/subprojects/ && ln -s "$root" with_meson/subprojects/heddle
    says 'meson, set up with the wrap' 0 'Subproject heddle finished.*heddle found: YES' meson setup with_meson/build with_meson --wrap-mode=forcefallback
    says 'meson, a test by the tool of the subproject' 1 'settings under heddle FAIL' meson test -C with_meson/build --suite heddle
else echo "skip project: no meson here"; fi

# find_package(Heddle) and heddle_add_test, from an installation
command -v cmake >/dev/null && command -v ctest >/dev/null || { echo "skip cmake package: no cmake here"; exit 0; }
make -s -C "$root" install PREFIX="$work/usr" >log 2>&1 || { echo "FAIL cmake package: make install: $(tail -n 3 log)"; exit 1; }
mkdir package; cd package || exit 2
cat >counter.h <<'TEXT'
void counter_add(void);
int counter_get(void);
TEXT
cat >counter.c <<'TEXT'
#include <stdatomic.h>
#include <stdlib.h>
#include "counter.h"
static atomic_int count;
void counter_add(void)
{
#ifdef ENDS
    exit(0);
#elif defined BROKEN
    atomic_store(&count, atomic_load(&count) + STEP);
#else
    atomic_fetch_add(&count, STEP);
#endif
}
int counter_get(void) { return atomic_load(&count); }
TEXT
cat >counter_check.c <<'TEXT'
#include <heddle.h>
#include "counter.h"
HD_OP(add) { counter_add(); return HD_VOID; }
HD_OP(get) { return HD_INT(counter_get()); }
TEXT
cat >CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.16)
project(counter C)
enable_testing()
find_package(Heddle REQUIRED)
add_library(counter STATIC counter.c)
target_include_directories(counter PUBLIC .)
target_compile_definitions(counter PRIVATE STEP=1)
heddle_add_test(good SOURCES counter_check.c TARGETS counter MODEL sc TIME 30 OPTIONS --shape=2x2 --exhaustive)
heddle_add_test(broken SOURCES counter_check.c TARGETS counter MODEL sc TIME 30 FLAGS -DBROKEN OPTIONS --shape=2x2 --exhaustive)
heddle_add_test(unsure SOURCES counter_check.c TARGETS counter FLAGS -DENDS OPTIONS --shape=2x1 SKIP_INCONCLUSIVE)
TEXT
if cmake -S . -B out -DCMAKE_PREFIX_PATH="$work/usr" >log 2>&1; then
    (cd out && ctest -L heddle --output-on-failure) >log 2>&1
    grep -qE 'good \.+ +Passed' log && echo "ok cmake package: a test that holds" || echo "FAIL cmake package: a test that holds: $(cat log)"
    grep -qE 'broken \.+.*Failed' log && echo "ok cmake package: a test that fails" || echo "FAIL cmake package: a test that fails: $(cat log)"
    grep -qE 'unsure \.+.*Skipped' log && echo "ok cmake package: an inconclusive answer is skipped" || echo "FAIL cmake package: an inconclusive answer: $(cat log)"
    [ -s out/broken.heddle.html ] && [ -s out/broken.heddle ] && echo "ok cmake package: page and record" || echo "FAIL cmake package: page and record: $(ls out)"
else echo "FAIL cmake package: $(tail -n 5 log)"; fi
