# heddle check on annotated programs (tests/annotations): those that hold, those whose specification is violated,
# those with a mistake in an annotation. The first lines say what is expected:
#   // expect: holds | inconclusive | violated KIND
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
export heddle

program() { # compiler, file
    local cc=$1 file=$2 expect says args more=() output status got counts
    expect=$(sed -n 's|^// expect: ||p' "$file" | head -n 1)
    says=$(sed -n 's|^// says: ||p' "$file" | head -n 1)
    args=$(sed -n 's|^// args: ||p' "$file" | head -n 1)
    for f in $(sed -n 's|^// files: ||p' "$file" | head -n 1); do more+=("${file%/*}/$f"); done
    # shellcheck disable=SC2086
    output=$(timeout 60 "$heddle" check --quiet --no-record --ascii --time=30s "--cc=$cc" $args "$file" "${more[@]}" 2>&1)
    status=$?
    output=$(tr -s '\n ' ' ' <<<"$output")
    case $file in bad/*) expect=error ;; esac
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
{
    printf 'gcc %s\n' holds/*.c holds/*.cc wrong/*.c* bad/*.c*
    printf 'clang %s\n' holds/*.c holds/*.cc wrong/*.c* | { if [ -n "${HEDDLE_NIGHTLY:-}" ]; then cat; else awk 'NR % 3 == 1'; fi; }
} | xargs -P "$(nproc)" -L 1 bash -c 'program "$1" "$2"' _
