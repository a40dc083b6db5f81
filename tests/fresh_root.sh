#!/usr/bin/env bash
# tests/fresh_root.sh clone | packages: Heddle in a fresh root with nothing but Debian's base (mmdebstrap, as root).
#   clone     from `git clone' to the first bug in one's own code, as the README says, with the time it takes; the
#             same for projects with CMake, Make, Meson and configure (examples/projects)
#   packages  dpkg-buildpackage, twice, with equal results; lintian; install, use and remove the packages
# HEDDLE_ROOT_TAR may name a root that was made before, HEDDLE_DEBS a folder with packages that were. Prints "ok NAME", "FAIL NAME ..." or "skip NAME ...".
set -u
cd "$(dirname "$0")/.." || exit 2
what=${1:-clone}
for program in mmdebstrap chroot; do
    command -v $program >/dev/null || { echo "skip fresh root: no $program here"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skip fresh root: only root can make one"; exit 0; }
work=$(mktemp -d)
root=$work/root
# Nothing is mounted in the root but /proc, and that only while a command runs.
trap 'umount -q "$root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
failed=0
result() { if [ "$2" = 0 ]; then echo "ok $1"; else failed=1; echo "FAIL $1: $(tail -n 5 "$work/log" | tr '\n' ' ')"; fi; }
seconds() { awk "BEGIN { printf \"%.0f\", $(date +%s.%N) - $1 }"; }
inside() { # a shell command in the root
    mount -t proc proc "$root/proc" && chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive TERM=dumb bash -c "$1"
    local status=$?
    umount "$root/proc"
    return $status
}
make_root() {
    mkdir "$root"
    if [ -n "${HEDDLE_ROOT_TAR:-}" ]; then tar -C "$root" --exclude='./dev/*' -xf "$HEDDLE_ROOT_TAR" >"$work/log" 2>&1
    else mmdebstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1; fi
    local status=$?
    mkdir -p "$root/proc" "$root/dev"
    for device in 'null 1 3' 'zero 1 5' 'random 1 8' 'urandom 1 9'; do
        # shellcheck disable=SC2086
        set -- $device
        [ -e "$root/dev/$1" ] || mknod -m 666 "$root/dev/$1" c "$2" "$3"
    done
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    result 'fresh root: made' $status
    return $status
}

# What a newcomer types: three lines of the README, a program of their own, one more line.
clone() {
    make_root || return
    git clone -q --bare . "$root/heddle.git" 2>"$work/log"; result 'fresh root: something to clone' $?
    cat >"$root/root/mine.c" <<'TEXT'
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;
static void *writer(void *p)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = atomic_load_explicit(&ready, memory_order_acquire) ? data : 42;
    pthread_join(t, 0);
    return seen - 42;
}
TEXT
    local start lines=('apt-get update && apt-get install -y git' 'git clone /heddle.git heddle && cd heddle' './dev demo' 'build/heddle run ../mine.c')
    start=$(date +%s.%N)
    inside "cd && ${lines[0]}" >"$work/log" 2>&1; result "fresh root: ${lines[0]} ($(seconds "$start") s)" $?
    inside "cd && ${lines[1]} && time ${lines[2]}" >"$work/log" 2>&1; result "fresh root: ${lines[2]} ($(seconds "$start") s from the beginning)" $?
    grep -q '^violated: linearizability' "$work/log"; result 'fresh root: the demo shows a bug' $?
    echo "   $(grep -E '^(real|user|sys)' "$work/log" | tr '\n\t' '  ')"
    inside "cd ~/heddle && ${lines[3]}" >"$work/log" 2>&1; [ $? = 1 ] && grep -q '^violated: race' "$work/log"
    result "fresh root: the first bug in one's own code after $(seconds "$start") s and $(printf '%s\n' "${lines[@]}" | wc -c) keystrokes" $?
    local until_then typed
    inside "cd ~/heddle && make install" >"$work/log" 2>&1; result "fresh root: make install" $?
    until_then=$(seconds "$start") typed=$(printf '%s\n' "${lines[@]:0:3}" 'make install' | wc -c)
    own_project cmake race 'apt-get install -y cmake' 'CC=heddle-cc cmake -B b' 'make -C b' 'heddle run b/mail_test'
    own_project make race 'make CC=heddle-cc' 'heddle run ./lock_test'
    own_project meson race 'apt-get install -y meson' 'CXX=heddle-c++ meson setup b' 'ninja -C b' 'heddle run b/settings_test'
    own_project autotools deadlock 'apt-get install -y automake' 'autoreconf -i && ./configure CC=heddle-cc' 'make check' 'heddle run ./gate_test'
}
# own_project NAME VIOLATION LINE...: a project of one's own, from the tools that it needs to its bug. Uses until_then and
# typed of clone().
own_project() {
    local name=$1 violation=$2 start all; shift 2
    cp -r "examples/projects/$name" "$root/root/$name"
    all=$(printf ' && %s' "$@")
    start=$(date +%s.%N)
    inside "cd ~/$name$all" >"$work/log" 2>&1; [ $? = 1 ] && grep -q "^violated: $violation" "$work/log"
    result "fresh root: the bug of a project with $name: $(seconds "$start") s and $(printf '%s\n' "$@" | wc -c) keystrokes more than the $until_then s and $typed of installing heddle" $?
}

build_packages() { # FOLDER
    mkdir -p "$1" && git archive --prefix=heddle/ HEAD | tar -x -C "$1" &&
        (cd "$1/heddle" && SOURCE_DATE_EPOCH=$(git -C "$OLDPWD" log -1 --format=%ct 2>/dev/null || echo 1) dpkg-buildpackage -us -uc -b -j"$(nproc)") >"$work/log" 2>&1
}
packages() {
    for program in dpkg-buildpackage lintian; do
        command -v $program >/dev/null || { echo "skip packages: no $program here"; return; }
    done
    if [ -n "${HEDDLE_DEBS:-}" ]; then
        mkdir "$work/one" && cp "$HEDDLE_DEBS"/*.deb "$HEDDLE_DEBS"/*.changes "$HEDDLE_DEBS"/*.buildinfo "$work/one/"; result 'packages: found' $?
    else
        build_packages "$work/one"; result 'packages: built' $?
    fi
    lintian --fail-on error,warning "$work"/one/*.changes >"$work/log" 2>&1; result 'packages: lintian' $?
    if [ -z "${HEDDLE_DEBS:-}" ]; then
        build_packages "$work/two"
        (cd "$work/one" && sha256sum ./*.deb) >"$work/sums" && (cd "$work/two" && sha256sum -c "$work/sums") >"$work/log" 2>&1
        result 'packages: built again elsewhere, and the same' $?
    fi
    make_root || return
    inside 'find / -xdev -path /proc -prune -o -path /var -prune -o -print | sort' >"$work/before"
    find "$work/one" -name '*.deb' ! -name '*dbgsym*' -exec cp {} "$root/root/" \;
    inside 'apt-get update && apt-get install -y --no-install-recommends /root/*.deb g++ make' >"$work/log" 2>&1; result 'packages: installed' $?
    cp debian/tests/examples "$root/root/examples.sh"
    inside 'mkdir /root/use && AUTOPKGTEST_TMP=/root/use sh /root/examples.sh' >"$work/log" 2>&1; result 'packages: used' $?
    inside 'apt-get purge -y heddle libheddle-history1 libheddle-history-dev heddle-doc' >"$work/log" 2>&1; result 'packages: removed' $?
    inside 'find / -xdev -path /proc -prune -o -path /var -prune -o -print | sort' >"$work/after"
    comm -13 "$work/before" "$work/after" | grep -i heddle | grep -v '^/root/' >"$work/log"; [ ! -s "$work/log" ]; result 'packages: nothing is left' $?
}
case $what in
clone | packages) $what ;;
*) sed -n 2,6p "$0"; exit 2 ;;
esac
exit $failed
