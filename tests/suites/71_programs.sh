# shellcheck shell=bash
# Real programs, unmodified, from Debian's source packages, each with a bug that we plant (corpus/programs/programs.csv).
# By default two small ones, and only if their sources were fetched before; HEDDLE_NIGHTLY=1 fetches and runs all.
here=$PWD/corpus/programs
export HEDDLE=$PWD/build/heddle
[ -n "${HEDDLE_NIGHTLY:-}" ] || export HEDDLE_CACHED_ONLY=1
while IFS=, read -r program package bug options verdict violation source; do
    [ "$program" = program ] && continue
    [ -n "${HEDDLE_NIGHTLY:-}" ] || [[ $program = zstd_pool || $program = tinycthread ]] || continue
    name="program $program${bug:+ with $bug} $options"
    read -ra words <<<"$options"
    output=$(timeout 300 "$here/run.sh" "$program" "$package" "${bug:--}" --quiet --no-record --json --time=120s "${words[@]}" 2>&1)
    status=$?
    got=$(sed -n "/^{/,\$p" <<<"$output" | awk -v keys="verdict violation" -f tests/json.awk) # warnings come before
    if [ $status = 77 ]; then echo "skip $name: $output"
    elif [ "$got" = "$verdict"$'\t'"${violation:--}" ]; then echo "ok $name"
    else echo "FAIL $name: $got, not $verdict $violation ($source): ${output:0:300}"; fi
done <"$here/programs.csv"
exit 0
