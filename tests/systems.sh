#!/usr/bin/env bash
# tests/systems.sh [SYSTEM...]: Heddle on other systems than this one, each in a fresh root (mmdebstrap, as root):
# debian-12, debian-13, ubuntu-24.04; fedora if dnf and its mirror are there. In each: what `./dev build' tells an ordinary user;
# then `./dev build' and `./dev demo' as root, a clone of what is committed here; the oracle and tests/programs with the
# system's gcc and clang. By default every fifth program and the rows of the oracle under rc11; HEDDLE_NIGHTLY=1:
# all of both, and `./dev test'. HEDDLE_ROOTS names a folder with SYSTEM.tar, or where to put them: roots made before are used.
# Prints "ok SYSTEM: ...", "FAIL SYSTEM: ..." or "skip SYSTEM: ...".
set -u
cd "$(dirname "$0")/.." || exit 2
for program in mmdebstrap chroot unshare; do
    command -v $program >/dev/null || { echo "skip systems: no $program here"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skip systems: only root can make a root"; exit 0; }
work=$(mktemp -d)
# What is mounted in a root ends with the namespace of the command that runs there.
trap 'rm -rf --one-file-system "$work"' EXIT
roots=${HEDDLE_ROOTS:-$work}
failed=0 status=0 tar='' system=''
result() { # NAME STATUS
    if [ "$2" = 0 ]; then echo "ok $system: $1"; else failed=1; echo "FAIL $system: $1: $(tail -n 5 "$work/log" | tr '\n' ' ' | tail -c 600)"; fi
    return "$2"
}
inside() { # USER, a shell command in the root
    # shellcheck disable=SC2016
    unshare -m --propagation private bash -c 'mount -t proc proc "$1/proc"; exec chroot --userspec="$2" "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$4" TERM=dumb DEBIAN_FRONTEND=noninteractive bash -c "$3"' \
        _ "$work/root" "$1" "$2" "$([ "$1" = root ] && echo /root || echo /tmp)" </dev/null
}
ubuntu() { # RELEASE: its archive, signed if the keyring is here
    local trust='[trusted=yes] '
    [ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || trust=
    printf 'deb %shttp://archive.ubuntu.com/ubuntu %s main universe\n' "$trust" "$1" "$trust" "$1-updates"
}
make_tar() { # a tar archive of a fresh system in $tar
    tar=$roots/$system.tar
    [ ! -s "$tar" ] || return 0
    case $system in
    debian-12) mmdebstrap --variant=minbase bookworm "$tar" ;;
    debian-13) mmdebstrap --variant=minbase trixie "$tar" ;;
    ubuntu-24.04) ubuntu noble | mmdebstrap --variant=minbase --include=apt,gpgv,ubuntu-keyring noble "$tar" - ;;
    fedora)
        local mirror=https://dl.fedoraproject.org/pub/fedora/linux/releases/42/Everything/x86_64/os/
        curl -sfI --max-time 20 "$mirror/repodata/repomd.xml" && command -v dnf || return 77
        dnf -y -q --installroot="$work/fedora" --repofrompath="f,$mirror" --repo=f --nogpgcheck --releasever=42 --setopt=install_weak_deps=False install bash coreutils dnf tar &&
            tar -C "$work/fedora" -cf "$tar" . && rm -rf --one-file-system "$work/fedora"
        ;;
    *) return 77 ;;
    esac >"$work/log" 2>&1
}
make_root() {
    make_tar
    local status=$? device
    [ $status != 77 ] || { echo "skip $system: its packages can't be had here"; return 77; }
    mkdir -p "$work/root" && tar -C "$work/root" --exclude='./dev/*' -xf "$tar" >>"$work/log" 2>&1 || status=1
    mkdir -p "$work/root/proc" "$work/root/dev"
    for device in 'null 1 3' 'zero 1 5' 'random 1 8' 'urandom 1 9'; do
        # shellcheck disable=SC2086
        set -- $device
        [ -e "$work/root/dev/$1" ] || mknod -m 666 "$work/root/dev/$1" c "$2" "$3"
    done
    ln -sf /proc/self/fd "$work/root/dev/fd"
    cp /etc/resolv.conf "$work/root/etc/resolv.conf" 2>/dev/null
    git clone -q --bare . "$work/root/heddle.git" >>"$work/log" 2>&1 || status=1
    result 'a fresh root' $status
}
check_programs() { # with the compiler $1
    local every=5
    [ -z "${HEDDLE_NIGHTLY:-}" ] || every=1
    inside root "cd /root/heddle && COMPILERS=$1 EVERY=$every bash tests/suites/40_programs.sh" >"$work/all" 2>&1
    grep '^FAIL' "$work/all" >"$work/log"
    [ ! -s "$work/log" ] && grep -q '^ok' "$work/all"; status=$?
    result "$(grep -c '^ok' "$work/all") of tests/programs with $1, $(grep -c '^FAIL' "$work/all") fail" $status
}
check_oracle() { # with the compiler $1
    local rows=',rc11,'
    [ -z "${HEDDLE_NIGHTLY:-}" ] || rows=.
    inside root "cd /root/heddle && ROWS=$rows tests/oracle.sh --cc=$1" >"$work/log" 2>&1; status=$?
    result "oracle with $1: $(tail -n 1 "$work/log")" $status
}
check() { # SYSTEM
    system=$1
    make_root || { [ $? = 77 ] || failed=1; rm -rf --one-file-system "$work/root"; return; }
    local get='apt-get update && apt-get install -y' compiler versions told
    [ "$system" != fedora ] || get='dnf install -y'
    inside root "$get git ca-certificates && git clone /heddle.git /root/heddle && git clone /heddle.git /tmp/heddle && chown -R nobody /tmp/heddle" >"$work/log" 2>&1
    result 'git clone' $? || return
    inside nobody 'cd /tmp/heddle && ./dev build' >"$work/log" 2>&1; [ $? = 2 ] && grep -qE '^  sudo (apt-get|dnf) install .*(libdw-dev|elfutils-devel)' "$work/log"; status=$?
    result "an ordinary user is told: $(tail -n 1 "$work/log" | cut -c1-60)..." $status
    told=$(sed -n 's/^  sudo //p' "$work/log")
    inside root "${told/install/install -y}" >"$work/log" 2>&1; result 'what they are told to install' $?
    inside root 'cd /root/heddle && ./dev build && rm -rf /tmp/heddle' >"$work/log" 2>&1; result './dev build' $? || return
    grep -q 'warning:' "$work/log"; [ $? = 1 ]; result 'no warning' $?
    inside root 'cd /root/heddle && ./dev demo' >"$work/log" 2>&1; grep -q '^violated: linearizability' "$work/log"; result './dev demo' $?
    inside root "$get clang" >"$work/log" 2>&1; result 'clang' $?
    # shellcheck disable=SC2016
    versions=$(inside root 'gcc -dumpfullversion; clang -dumpversion; ldd --version | sed -n "1s/.* //p"' 2>/dev/null | tr '\n' ' ')
    echo "   gcc, clang, glibc: $versions"
    for compiler in gcc clang; do
        check_oracle $compiler
        check_programs $compiler
    done
    if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
        inside root 'cd /root/heddle && ./dev test' >"$work/all" 2>&1
        grep '^FAIL' "$work/all" >"$work/log"; [ ! -s "$work/log" ]; status=$?
        result "./dev test: $(tail -n 1 "$work/all")" $status
    fi
    rm -rf --one-file-system "$work/root"
}
[ $# -gt 0 ] || set -- debian-12 debian-13 ubuntu-24.04 fedora
mkdir -p "$roots"
for name in "$@"; do check "$name"; done
echo 'skip alpine: its C library is musl, which is not supported (doc/systems.md)'
exit $failed
