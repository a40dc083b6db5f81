# shellcheck shell=bash
# Threads that meet in the kernel: files, descriptors, locks of files, the working directory, the mask of modes.
# 1. Programs in tests/kernel, with the answers that their lines "// run: ARGUMENTS => VERDICT [VIOLATION]" expect.
# 2. Random programs whose calls are also made natively, one by one, in every order (tests/kernel/twin.c).
# 3. What an execution leaves behind is taken back.
# 4. The table of system calls in the manual is that of the runtime, and has each that programs reach by a function.
# HEDDLE_NIGHTLY=1 makes a thousand more random programs, with seeds from ten times HEDDLE_SEED (1) on.
[ -x build/heddle ] || { echo "skip kernel: build/heddle is not there"; exit 0; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
export out heddle=$PWD/build/heddle

asked() { # file, arguments, expected answer
    local got verdict=${3%% *} kind folder
    folder=$(mktemp -d "$out/asked.XXXXXX")
    # shellcheck disable=SC2086
    got=$(timeout 90 "$heddle" $2 --json --quiet --no-record -DFOLDER="\"$folder\"" "$1" 2>/dev/null | awk -v keys="verdict violation" -f tests/json.awk)
    kind=${got#*$'\t'}; [ "$kind" != - ] || kind=
    got="${got%%$'\t'*}${kind:+ $kind}"
    if { [ "$got" = "$3" ] || { [ "$verdict" = "$3" ] && [ "${got%% *}" = "$3" ]; }; } && [ -z "$(ls -A "$folder")" ]
    then echo "ok kernel: $1 $2"
    else echo "FAIL kernel: $got instead of $3: build/heddle $2 -DFOLDER='\"$folder\"' $1; left: $(ls "$folder")"; fi
}
export -f asked
grep -H '^// run:' tests/kernel/*.c | sed 's,^\([^:]*\):// run: *\(.*[^ ]\) *=> *\(.*\),\1\n\2\n\3,' | tr '\n' '\0' |
    xargs -0 -P 2 -n 3 bash -c 'asked "$1" "$2" "$3"' _

each=10; [ -n "${HEDDLE_NIGHTLY:-}" ] || each=5
seeds="10 15"
[ -z "${HEDDLE_NIGHTLY:-}" ] || seeds=$(seq "${HEDDLE_SEED:-1}0" $each "$((${HEDDLE_SEED:-1} + 99))9")
# shellcheck disable=SC2086
printf '%s\n' $seeds | xargs -P 2 -I SEED bash tests/kernel/twin.sh SEED $each

if tools/system_calls.sh | cmp -s - man/heddle-system-calls.7; then echo "ok kernel: the table in the manual"
else echo "FAIL kernel: man/heddle-system-calls.7 is not what tools/system_calls.sh makes"; fi
missing=$(tools/system_calls.sh --missing | tr '\n' ' ')
if [ -z "$missing" ]; then echo "ok kernel: every system call is in the table"
else echo "FAIL kernel: tools/system_calls.sh has no $missing"; fi
