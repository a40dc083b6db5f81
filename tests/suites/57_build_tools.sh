# Projects that have a build already: compile_commands.json, by hand and as CMake writes it.
heddle=$PWD/build/heddle
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
says 'files that have other flags' 2 'have other flags' "$heddle" run -q -p build tests/t.c src/q.c
list "$PWD" other.c "cc -c other.c"
says 'a file that is not in it' 2 'none of the files' "$heddle" run -q -p build tests/t.c
list "$PWD" tests/t.c "cc -fplugin=./evil.so -c tests/t.c"
says 'a flag that runs something' 2 'could run commands.*fplugin' "$heddle" run -q -p build tests/t.c
echo '{"a": [' >build/compile_commands.json; says 'no list' 2 'is no list of compilations' "$heddle" run -q -p build tests/t.c
rm build/compile_commands.json; says 'no file' 2 'No such file' "$heddle" run -q -p build tests/t.c
if command -v cmake >/dev/null && cmake -S . -B cmade >/dev/null 2>&1 && [ -f cmade/compile_commands.json ]; then
    says 'as CMake writes it' 0 '^holds' "$heddle" run -q -p cmade tests/t.c src/q.c
    # objects that the project compiles with -fsanitize=thread need no further flags
    (cmake -S . -B instrumented -DCMAKE_C_FLAGS='-fsanitize=thread -O0 -g' && make -C instrumented q) >/dev/null 2>&1
    says 'an archive that was compiled with -fsanitize=thread' 0 '^holds' "$heddle" run -q -p cmade tests/t.c instrumented/libq.a
else echo "skip project: no cmake here"; fi
