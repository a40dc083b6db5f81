# shellcheck shell=bash
# Threads that meet in the kernel: files, descriptors, locks of files, the working directory, the mask of modes.
# 1. Programs in tests/kernel, with the answers that their lines "// run: ARGUMENTS => VERDICT [VIOLATION]" expect.
# 2. Random programs whose calls are also made natively, one by one, in every order (tests/kernel/twin.c).
# 3. What an execution leaves behind is taken back.
# 4. The table of system calls in the manual is that of the runtime.
# HEDDLE_NIGHTLY=1 makes many more random programs, with seeds from HEDDLE_SEED (1) on.
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

${CC:-cc} -O1 -o "$out/twin" tests/kernel/twin.c || { echo "FAIL kernel: twin.c"; exit 1; }
twin() { # seed
    local at=$out/twin$1 model=sc cc=gcc count all one
    mkdir -p "$at/in"
    "$out/twin" "$1" "$at/program.c"
    if ! gcc -w -DENUMERATE -DFOLDER="\"$at/in\"" -o "$at/enumerate" "$at/program.c" || ! "$at/enumerate" >"$at/outcomes"; then
        echo "FAIL kernel: random calls, seed $1: they can't be made natively"
        return
    fi
    count=$(wc -l <"$at/outcomes")
    case $(($1 % 3)) in 0) model=rc11 ;; 1) model=tso ;; esac
    [ $(($1 % 2)) = 0 ] || ! type clang >/dev/null 2>&1 || cc=clang
    answer() { # WANTED
        timeout 100 "$heddle" run --cc=$cc --model=$model --quiet --no-record -w -DFOLDER="\"$at/in\"" -DOUTCOMES="\"$at/outcomes\"" \
            -DWANTED="$1" "$at/program.c" 2>&1 | tr -s ' \n' ' '
    }
    all=$(answer -1); one=$(answer $(($1 % count)))
    if [[ $all == holds:* && $one == "violated: assertion"* && -z $(ls -A "$at/in") ]]
    then echo "ok kernel: random calls, seed $1: $count outcomes"
    else echo "FAIL kernel: random calls, seed $1 ($model, $cc, $count outcomes): ${all:0:150} | ${one:0:150} | left: $(ls -A "$at/in")"; fi
    rm -rf "$at"
}
export -f twin
seeds="10 14 24 57 58 60"
[ -z "${HEDDLE_NIGHTLY:-}" ] || seeds=$(seq "${HEDDLE_SEED:-1}" $((${HEDDLE_SEED:-1} + 999)))
# shellcheck disable=SC2086
printf '%s\n' $seeds | xargs -P 2 -n 1 bash -c 'twin "$1"' _

if tools/system_calls.sh | cmp -s - man/heddle-system-calls.7; then echo "ok kernel: the table in the manual"
else echo "FAIL kernel: man/heddle-system-calls.7 is not what tools/system_calls.sh makes"; fi
