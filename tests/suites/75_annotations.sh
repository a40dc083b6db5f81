# shellcheck shell=bash disable=SC2016
# heddle check on annotated programs (tests/annotations): those that hold, those whose specification is violated,
# those with a mistake in an annotation (mistakes.sh). The first lines say what is expected:
#   // expect: holds | inconclusive | violated KIND | error
#   // says: a pattern in the output, as one line
#   // args: more arguments
#   // files: more files, beside it
#   // executions: N
# Programs that hold must have as many executions as `heddle run` finds, if nothing else is said: annotations
# change nothing.
heddle=$PWD/build/heddle
"$heddle" check --help 2>/dev/null | grep -q histories || { echo "skip annotations: the tool has none"; exit 0; }
cd tests/annotations || exit 2
if "$heddle" check --quiet --no-record holds/cell.c 2>&1 | grep -q 'need libclang'; then
    echo "skip annotations: libclang is not installed"; exit 0
fi
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
export heddle scratch

program() { # compiler, file
    local cc=$1 file=$2 expect says args more=() output status got counts
    expect=$(sed -n 's|^// expect: ||p' "$file" | tail -n 1)
    says=$(sed -n 's|^// says: ||p' "$file" | tail -n 1)
    args=$(sed -n 's|^// args: ||p' "$file" | head -n 1)
    for f in $(sed -n 's|^// files: ||p' "$file" | head -n 1); do more+=("${file%/*}/$f"); done
    # shellcheck disable=SC2086
    output=$(timeout 60 "$heddle" check --quiet --no-record --ascii --time=30s "--cc=$cc" $args "$file" "${more[@]}" 2>&1)
    status=$?
    output=$(tr -s '\n ' ' ' <<<"$output")
    case $status in 0) got=holds ;; 1) got="violated $(sed -n 's/^violated: \([a-z-]*\) in.*/\1/p' <<<"$output")" ;;
    2) got=error ;; 3) got=inconclusive ;; *) got="status $status" ;; esac
    if [ "$got" != "$expect" ]; then
        echo "FAIL annotations: $file ($cc): $got instead of $expect: ${output:0:600}"
    elif [ -n "$says" ] && ! grep -q -e "$says" <<<"$output"; then
        echo "FAIL annotations: $file ($cc): nothing matches '$says': ${output:0:600}"
    elif [ "$got" = holds ]; then
        counts=$(sed -n 's|^// executions: ||p' "$file" | head -n 1)
        # shellcheck disable=SC2086
        [ -n "$counts" ] || counts=$(timeout 60 "$heddle" run --json --quiet --no-record "--cc=$cc" ${args/--histories=[a-z]*/} \
            "$file" "${more[@]}" 2>/dev/null | sed -n 's/.*"executions": \([0-9]*\).*/\1/p')
        if grep -q -E " (all $counts executions|its only execution)" <<<"$output"; then echo "ok annotations: $file ($cc)"
        else echo "FAIL annotations: $file ($cc): not $counts executions: ${output:0:200}"; fi
    else
        echo "ok annotations: $file ($cc)"
    fi
}
export -f program
mistake() { # name, what is expected, pattern, edits
    local file=$scratch/$1.c expect=$2 says=$3
    shift 3
    sed "$@" holds/cell.c >"$file"
    cmp -s "$file" holds/cell.c && echo "FAIL annotations: ${file##*/}: its edits change nothing"
    printf '// expect: %s\n// says: %s\n' "$expect" "$says" >>"$file" # at the end: lines stay
}
# shellcheck source=/dev/null
. ./mistakes.sh
{
    printf 'gcc %s\n' holds/*.c holds/*.cc wrong/*.c* "$scratch"/*.c
    printf 'clang %s\n' holds/*.c holds/*.cc wrong/*.c* | { if [ -n "${HEDDLE_NIGHTLY:-}" ]; then cat; else awk 'NR % 3 == 1'; fi; }
} | xargs -P "$(nproc)" -L 1 bash -c 'program "$1" "$2"' _

# Options that say nothing about an annotated program are refused.
for option in --spec=fifo --shape=2x2 --quasi=Get:1 --unbounded --relax=auto --samples=3 '--scenario=Get()' --consistency=sequential; do
    output=$("$heddle" check --quiet --no-record "$option" holds/cell.c 2>&1); status=$?
    if [ $status = 2 ] && grep -q -e "${option%%=*} is for operations that are declared" <<<"$output"; then echo "ok annotations: $option is refused"
    else echo "FAIL annotations: $option is not refused: status $status: ${output:0:200}"; fi
done

# Random programs: the search that merges rounds of loops finds a violation if and only if one that visits every graph
# does (which gives loops up after a few rounds, and then says so). HEDDLE_NIGHTLY=1: 300 of them.
differ() { # seed
    local file=$scratch/$1.c answer reduced all
    awk -v seed="$1" -f random.awk >"$file"
    for more in "" "--no-reductions --loop-bound=4"; do
        # shellcheck disable=SC2086
        answer=$(timeout 60 "$heddle" check --json --quiet --no-record --time=20s $more "$file" 2>&1 | grep -o '"verdict": "[a-z]*"')
        [ -z "$more" ] && reduced=$answer || all=$answer
    done
    case $reduced/$all in
    */ | /* | *holds*/*violated* | *violated*/*holds*) cp "$file" "${TMPDIR:-/tmp}/annotated_$1.c"
        echo "FAIL annotations: random program $1: $reduced, without reductions $all: ${TMPDIR:-/tmp}/annotated_$1.c" ;;
    *) echo "ok annotations: random program $1" ;;
    esac
    rm -f "$file"
}
export -f differ
first=${HEDDLE_ANNOTATED_SEED:-1}
seq "$first" $((first + $([ -n "${HEDDLE_NIGHTLY:-}" ] && echo 299 || echo 7))) | xargs -P "$(nproc)" -I{} bash -c 'differ {}'
