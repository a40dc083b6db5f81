#!/usr/bin/env bash
# tests/aarch64.sh [COMMAND...]: programs for AArch64 by the tool of this machine: cross compiler, the runtime of build-aarch64 (which
# this makes), and qemu as the interpreter, in a private user namespace (Linux 6.7 or later): nothing is changed outside.
# Without a COMMAND: rows of the oracle and programs of tests/programs, of which no answer may be `holds', since AArch64 code
# is not read yet, and violations are found and confirmed all the same. With one, it runs where AArch64 programs can.
set -u
cd "$(dirname "$0")/.." || exit 2
cc=aarch64-linux-gnu-gcc
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
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
[ $# = 0 ] || { inside "$@"; exit; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# PROGRAM WANTED OPTION...: WANTED is "inconclusive", or "inconclusive KIND" where x86-64 says "violated KIND"
expect() {
    local program=$1 want=$2 answer got kind reason
    shift 2
    answer=$(inside timeout 120 build/heddle run --json --quiet --no-record --cc=$cc "$@" "$program" 2>"$work/errors")
    IFS=$'\t' read -r got kind reason <<<"$(awk -v keys="verdict violation reason" -f tests/json.awk <<<"$answer")"
    [ "$kind" = - ] || got="$got $kind"
    if [ "$got" != "$want" ]; then echo "FAIL aarch64: $program $*: $got instead of $want ($reason) $(head -c 300 "$work/errors")"
    elif [[ $reason != *AArch64* && $reason != *"can't see 2 parts"* ]]; then echo "FAIL aarch64: $program $*: the reason is $reason"
    else echo "ok aarch64: $program $*: $got"; fi
}
expect tests/oracle/sb.c inconclusive
expect tests/programs/correct/struct_copy.c inconclusive
expect tests/programs/correct/mutex_count.c inconclusive
printf 'int x;\nint main(void) { __asm__ volatile("dmb ish" ::: "memory"); return x; }\n' >"$work/fence.c"
expect "$work/fence.c" inconclusive
expect tests/programs/wrong/mp_relaxed.c 'inconclusive assertion'
expect tests/programs/wrong/plain_spin.c 'inconclusive race'
expect tests/programs/wrong/join_twice.c 'inconclusive misuse'
expect tests/programs/wrong/spinlock_abba.c 'inconclusive livelock'
expect tests/programs/wrong/cxx_string_race.cpp 'inconclusive race'
