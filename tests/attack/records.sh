# Records that ask for more than a replay. Sourced by suite 52_attack in a fresh folder; $heddle, $work, $root.
cp "$root/tests/programs/wrong/race_counter.c" p.c
"$heddle" run -q p.c >/dev/null 2>&1; [ -s p.heddle ] || { echo "FAIL records: no record"; exit 1; }
mkdir ../outside; cp p.c ../outside/q.c; echo 'int outside;' >../outside/o.h; ln -s ../outside/o.h link.h
# anything that runs leaves a mark; a compiler that is started by path, too
for name in evil gcc-evil; do printf '#!/bin/sh\ntouch %s/pwned\nexec gcc "$@"\n' "$PWD" >$name; chmod +x $name; done
cat >plugin.c <<'TEXT'
#include <stdlib.h>
int plugin_is_GPL_compatible;
__attribute__((constructor)) static void loaded(void) { exit(system("touch pwned")); }
int plugin_init(void *a, void *b) { return a == b; }
TEXT
gcc -shared -fPIC -o evil.so plugin.c
ls -A >before

# refused NAME PATTERN WORD...: the forged record is refused, says what it is about, and nothing happens
refused() {
    local name=$1 pattern=$2 got output; shift 2
    "$work/forge" p.heddle ../forged.heddle "$@" || { echo "FAIL records: $name: not forged"; return; }
    output=$(timeout 20 "$heddle" replay -C . ../forged.heddle 2>&1); got=$?
    ls -A | diff before - >../difference; local same=$?
    if [ $got = 2 ] && [ $same = 0 ] && grep -q -- "$pattern" <<<"$output"; then echo "ok record: $name"
    else echo "FAIL record: $name: exit status $got, $(tr '\n' ' ' <../difference) $(head -n 2 <<<"$output")"; fi
    rm -f pwned
    output=$(timeout 20 "$heddle" report -o ../forged.html ../forged.heddle 2>&1); got=$?
    [ $got = 0 ] && ls -A | diff -q before - >/dev/null || echo "FAIL report: $name: exit status $got: $output"
    rm -f pwned
}
refused 'compiler by path' 'evil.*--trust-record' "cc=$PWD/evil"
refused 'compiler by a path from here' './evil' cc=./evil
refused 'compiler by name' 'gcc-evil' cc=gcc-evil
refused 'compiler that is a shell' 'sh' cc=sh
for words in -wrapper,./evil -fplugin=./evil.so -B. -B./ -specs=s -fpass-plugin=./evil.so -no-canonical-prefixes \
    -Wa,-o,x -Wp,-MD,pwned -Wl,-Map=pwned -Wl,-plugin,./evil.so -Wl,--dependency-file=pwned -Wl,-rpath,. \
    -Wl,--defsym=puts=system -Wl,@list -Wl,-T,script -fuse-ld=./evil -fdump-tree-all -fdump-rtl-expand -da -save-temps \
    -fprofile-generate -fprofile-arcs -ftest-coverage -fstack-usage -fcallgraph-info -fopt-info-all=pwned -gsplit-dwarf \
    -fsave-optimization-record -foptimization-record-file=pwned '-fmodule-mapper=|./evil' -ftime-trace -fcrash-diagnostics-dir=. \
    -fdiagnostics-format=json-file -fdiagnostics-format=sarif-file -fmodules-cache-path=. -fcompare-debug -fcompare-debug=-O1 \
    -frepo -fauto-profile=x -fembed-offload-object=p.c -mllvm -fauto-profile -flto -fxray-instrument -fdump-go-spec=pwned \
    -fada-spec -aux-info -M -MD -MMDpwned -MF -o -opwned -E -x -include/etc/passwd -I/etc -I.. -L.. -l:../x @list -D@list \
    --param=x --sysroot=. -T -Ttext '-Dmain(...)=main(void){return(system("touch pwned"));}' '-Dputs=system' \
    -DX=__attribute__ '-DX=a b' -iplugindir=. -fintegrated-cc1 -fno-integrated-as -stdlib=../x -std=../x; do
    refused "$words" 'words for the compiler' "compile=$words"
done
refused '-wrapper in two words' 'wrapper' compile=-wrapper compile=./evil
refused '-Xlinker' 'Xlinker -Map=pwned' link=-Xlinker link=-Map=pwned
refused '-mllvm -load' 'mllvm' cc=clang compile=-mllvm compile=-load=./evil.so
refused '-D @file' 'words for the compiler' compile=-D compile=@list
refused '-include outside' 'o.h' compile=-include compile=../outside/o.h
refused '-include through a link' 'link.h' compile=-include compile=link.h
refused '-isystem outside' 'isystem' compile=-isystem compile=/tmp
refused 'an option without its value' 'words for the compiler' compile=-include
refused 'a source elsewhere' '--allow-outside' file=../outside/q.c
refused 'a source by its whole path' '--allow-outside' "file=$PWD/../outside/q.c"
refused 'observations elsewhere' '--allow-outside' observations=/etc/passwd
refused 'an unknown command' 'command' command=prove
"$work/forge" p.heddle endless.heddle endless=1 && "$heddle" replay endless.heddle >out 2>&1; [ $? = 2 ] && grep -q damaged out && echo "ok record: a text without an end" || echo "FAIL record: a text without an end: $(cat out)"
"$work/forge" p.heddle endless.heddle model=77 && "$heddle" replay endless.heddle >out 2>&1; [ $? = 2 ] && grep -q damaged out && echo "ok record: an unknown model" || echo "FAIL record: an unknown model: $(cat out)"
rm -f endless.heddle out

# what is allowed, and what the user allows
allowed() {
    local name=$1 got output; shift
    output=$(timeout 20 "$heddle" replay "$@" 2>&1); got=$?
    if [ $got = 1 ] && grep -q '^violated: race' <<<"$output"; then echo "ok record: $name"; else echo "FAIL record: $name: exit status $got: $output"; fi
}
"$work/forge" p.heddle plain.heddle compile=-O1 compile=-DN=3 compile=-DORDER=memory_order_relaxed compile=-Wall compile=-std=gnu11 \
    compile=-I. compile=-fno-strict-aliasing compile=-march=native compile=-include compile=p2.h link=-lm link=-Wl,--as-needed
touch p2.h; allowed 'harmless words' plain.heddle
"$work/forge" p.heddle far.heddle compile=-I.. file=../outside/q.c
allowed '--allow-outside' --allow-outside far.heddle
"$work/forge" p.heddle by_path.heddle "cc=$(command -v gcc)" "compile=-DTEXT=a b"
allowed '--trust-record' --trust-record by_path.heddle

# the folder that a record names
mkdir far; cp p.heddle far; mkdir cwd
"$work/forge" p.heddle far/named.heddle "folder=$PWD/../outside" file=q.c
output=$(cd cwd && "$heddle" replay ../far/named.heddle 2>&1); [ $? = 2 ] && grep -q 'not its own' <<<"$output" && echo "ok record: a folder that is not its own" || echo "FAIL record: a folder that is not its own: $output"

# a page that is no page; one whose text is huge
printf 'not compressed at all' >noise; printf '\377\377\377\377\377\377\377\177xxxx' >huge
for page in noise huge; do
    "$work/forge" p.heddle page.heddle page=$page
    output=$("$heddle" report -o page.html page.heddle 2>&1); [ $? = 2 ] && [ ! -e page.html ] && grep -q damaged <<<"$output" && echo "ok record: a page that is $page" || echo "FAIL record: a page that is $page: $output"
done

# a report needs neither compiler nor sources
mv p.c gone.c; output=$(PATH=/nonexistent "$heddle" report -o page.html p.heddle 2>&1); [ $? = 0 ] && grep -q race page.html && echo "ok a report without a compiler" || echo "FAIL a report without a compiler: $output"
mv gone.c p.c

# sources whose names look like words of the compiler
cp p.c @p.c; cp p.c ./-fplugin=evil.c
for name in @p.c ./@p.c ./-fplugin=evil.c; do
    output=$(timeout 20 "$heddle" run -q --no-record "$name" 2>&1); [ $? = 1 ] && grep -q '^violated: race' <<<"$output" && echo "ok a source called $name" || echo "FAIL a source called $name: $output"
done
