# Containers and poor machines: each works, or the answer names what is missing. Sourced by suite 52_attack.
gcc -O1 -o seccomp "$root/tests/attack/seccomp.c" || exit 2
cp "$root/tests/programs/wrong/race_counter.c" race.c; cp "$root"/examples/queue* .
printf '#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\nstatic void *f(void *a) { atomic_fetch_add(&x, 1); return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); atomic_fetch_add(&x, 1); pthread_join(t, 0); return 0; }\n' >good.c
# works NAME STATUS PATTERN COMMAND...: the exit status, and words of the answer on one line
works() {
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$@" >out 2>&1; got=$?
    if [ $got = 77 ]; then echo "skip container: $name: no filters of system calls here"; return; fi
    if [ $got = "$status" ] && tr -s '\n ' ' ' <out | grep -qE -- "$pattern"; then echo "ok container: $name"
    else echo "FAIL container: $name: exit status $got, not $status: $(head -c 600 out)"; fi
}
for profile in docker strict; do
    works "$profile: holds" 0 'holds: .*note: address randomisation can.t be switched off here \(personality' ./seccomp $profile "$heddle" run -q good.c
    works "$profile: a violation is confirmed" 1 'violated: race' ./seccomp $profile "$heddle" run -q race.c
    works "$profile: replay" 1 'violated: race' ./seccomp $profile "$heddle" replay race.heddle
    works "$profile: check" 1 'violated: linearizability' ./seccomp $profile "$heddle" check -q --no-record queue_check.c
    works "$profile: jobs" 0 '^holds' ./seccomp $profile "$heddle" run -q --jobs=2 good.c
done
works 'vm.overcommit_memory=2' 3 'refuses: [0-9]+ MB of address space for the heap .*vm.overcommit_memory' ./seccomp overcommit "$heddle" run -q good.c
works 'vm.overcommit_memory=2: check' 3 'refuses: .*vm.overcommit_memory' ./seccomp overcommit "$heddle" check -q --no-record queue_check.c
# a low vm.max_map_count: from the Nth on, no mapping is made or changed; whichever it is, that is the cause that is named
refusals='holds|refuses: .* of address space for .*vm.max_map_count|loader (can.t start the program|was refused memory): .*vm.max_map_count'
numbers='1 2 8 15 20 23 25 27 45 90'; [ -n "${HEDDLE_NIGHTLY:-}" ] && numbers=$(seq 1 150)
for n in $numbers; do
    works "vm.max_map_count: call $n" 3 "$refusals" ./seccomp "maps:$n" "$heddle" run -q good.c
done
works "vm.max_map_count: enough" 0 '^holds' ./seccomp maps:5000 "$heddle" run -q good.c
works 'little address space' 3 'refuses: .*address space.*ulimit -v' sh -c "ulimit -v 8000000; exec '$heddle' run -q good.c"
works 'a small stack' 0 '^holds' sh -c "ulimit -s 256; exec '$heddle' run -q good.c"
works 'few files' 2 'Too many open files|can.t' sh -c "ulimit -n 5; exec '$heddle' run -q good.c"
works 'no room for temporary files' 2 'temporary folder in /nonexistent' env TMPDIR=/nonexistent "$heddle" run -q good.c
chmod a-w . 2>/dev/null
if [ -w . ]; then echo "skip container: a folder that is read-only (root writes everywhere)"; else works 'a folder that is read-only' 1 'violated: race.*could not be saved' "$heddle" run -q --record=./x.heddle race.c; fi
chmod u+w .
works 'a record that has no place' 1 'violated: race.*the record could not be saved' "$heddle" run -q --record=/nonexistent/x.heddle race.c
works 'an empty environment' 0 '^holds' env -i "$heddle" run -q good.c
# a fresh root with one thing missing in turn
if unshare -Urm true 2>/dev/null; then
    works 'a user namespace' 0 '^holds' unshare -Ur "$heddle" run -q good.c
    works 'no /proc' 0 'holds: .*there is no /proc' unshare -Urm sh -c "mount -t tmpfs none /proc && exec '$heddle' run -q good.c"
    works 'a read-only root' 1 'violated: race' unshare -Urm sh -c "mount -o remount,bind,ro / 2>/dev/null || mount --bind -o ro / /mnt 2>/dev/null; exec env TMPDIR=/dev/shm '$heddle' run -q --no-record race.c"
    case $heddle in
    /tmp/*) echo "skip container: no /tmp (the tool itself stands there)" ;;
    *) works 'no /tmp' 2 'temporary folder in /tmp' unshare -Urm sh -c "cp -r . /dev/shm/heddle-test-\$\$ && mount -t tmpfs -o ro none /tmp && cd /dev/shm/heddle-test-\$\$ && '$heddle' run -q good.c; s=\$?; rm -rf /dev/shm/heddle-test-\$\$; exit \$s" ;;
    esac
    # hides FILES...: a command of the shell that puts empty files in their place
    hides() { local file; for file; do printf 'mount --bind /dev/null %s && ' "$(realpath "$file")"; done; }
    without() { # NAME STATUS PATTERN FILES... -- COMMAND...
        local name=$1 status=$2 pattern=$3 files=(); shift 3
        while [ "$1" != -- ]; do files+=("$1"); shift; done; shift
        works "without $name" "$status" "$pattern" unshare -Urm sh -c "$(hides "${files[@]}") exec \"\$@\"" sh "$@"
    }
    without gcc 2 'compiler not found: gcc' "$(command -v gcc)" -- "$heddle" run -q good.c
    without 'the compiler behind gcc' 2 'cannot execute .cc1' "$(gcc -print-prog-name=cc1)" -- "$heddle" run -q good.c
    without 'an assembler' 2 'cannot execute .as' "$(command -v as)" -- "$heddle" run -q good.c
    without 'a linker' 2 'cannot find .ld' "$(command -v ld)" -- "$heddle" run -q good.c
    library=$(ldconfig -p | sed -n 's|.* => \(.*/libz3\.so\.4\)$|\1|p' | head -n 1)
    if [ -n "$library" ]; then # what the tool decides by itself is decided
        without Z3 0 'holds: linearizable' "$library" -- "$heddle" prove -q "$root/corpus/prove/treiber.hp"
        without Z3 3 'too hard for the tool itself, and the prover needs the library libz3' "$library" -- "$heddle" prove -q "$root/corpus/prove/vyukov_ring.hp"
    fi
    mapfile -t libraries < <(find /usr/lib -name 'libclang*.so*' ! -name 'libclang_rt*' -type f 2>/dev/null)
    [ ${#libraries[@]} = 0 ] || without libclang 2 'needs libclang, which is not installed' "${libraries[@]}" -- "$heddle" check -q --no-record "$root/tests/annotations/wrong/cycle.c"
    for folder in /sys /etc /dev/shm; do
        works "no $folder" 0 '^holds' unshare -Urm sh -c "mount -t tmpfs -o ro none $folder && exec '$heddle' run -q good.c"
    done
    works 'no /dev' 2 'there is no /dev/null here' unshare -Urm sh -c "mount -t tmpfs none /dev && exec '$heddle' run -q good.c"
    works 'a full temporary folder' 2 'has [0-9]+ KB left; TMPDIR chooses another' unshare -Urm sh -c "mount -t tmpfs -o size=64k none /mnt && exec env TMPDIR=/mnt '$heddle' run -q good.c"
else
    echo "skip container: a fresh root (no user namespaces here)"
fi
# memory that the program shares counts
cat >shared.c <<'TEXT'
#include <string.h>
#include <sys/mman.h>
int main(void) { char *p = mmap(0, 300 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); for (long i = 0; i < 300L << 20; i += 4096) p[i] = 1; return 0; }
TEXT
works 'shared memory counts' 3 'memory limit' "$heddle" run -q --memory=100M shared.c
