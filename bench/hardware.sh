#!/usr/bin/env bash
# What rc11's `holds` says of hardware (heddle-run(1), REAL PROCESSORS): every row of the corpora that holds under rc11,
# the libraries of Debian's packages, and the correct programs of the tests. "impossible" extends to ARMv8, POWER and
# RISC-V; the last column, where read-modify-writes are single instructions (LSE, AMO); of "possible" the four places of
# the cycle. Rows of `run' that are not impossible say what --model=imm adds. bench/hardware.md keeps a table that this made. Usage: bench/hardware.sh [REGEX of rows]
set -u
cd "$(dirname "$0")/.." || exit 2
heddle=$PWD/build/heddle only=${1:-.}
row() { # FOLDER WORDS...
    local folder=$1 json
    shift
    # shellcheck disable=SC2086
    json=$(cd "$folder" && timeout 100 "$heddle" $1 --json --quiet --no-record --time=60 "${@:2}" 2>/dev/null)
    awk -v keys="verdict load_buffering load_buffering_lse" -f tests/json.awk <<<"$json" | {
        IFS=$'\t' read -r verdict pairs single
        [ "$verdict" = holds ] || exit # of another model, or only with the options that its test gives
        imm=
        [ "$pairs" = impossible ] || [ "$1" != run ] || # what --model=imm says
            imm=$(cd "$folder" && timeout 100 "$heddle" run --json --quiet --no-record --no-repair --time=60 --model=imm "${@:2}" 2>/dev/null |
                awk -v keys="verdict load_buffering" -f "$OLDPWD/tests/json.awk" | sed 's/^holds\t//; s/\t.*//')
        printf '%-12s %-12s %s %s%s\n' "$pairs" "$single" "$folder" "${*:1}" "${imm:+  # imm: $imm}"
        [ "$pairs" != possible ] || sed -n 's/.*"rc11 is not all [^:]*: there the load at \([^ ]*\) may come after the store at \([^ ]*\), which the access at \([^ ]*\) reads, and see the store at \([^ ]*\) .*/             load \1, store \2, read at \3, store \4/p' <<<"$json"
    }
}
{
    for corpus in classics cdsspec lineup roundup; do
        awk -F, '$2 == "holds" { print $1 }' corpus/$corpus/expected.csv |
            grep -vE 'model=(sc|tso|pso)|--(schedules|preemptions|relax|quasi|keep-going)' | sed "s|^|corpus/$corpus\t|"
    done
    for file in corpus/libraries/*.c*; do
        dpkg -s "$(sed -n 's|^// package: ||p' "$file")" >/dev/null 2>&1 || continue
        sed -nE 's|^// expect( [0-9x+]+)?: (.*rc11 holds.*)|\1|p' "$file" | head -n 1 |
            while read -r shape; do
                printf 'corpus/libraries\t%s %s --model=rc11 %s %s\n' "$(sed -n 's|^// command: ||p' "$file" | grep . || echo check)" \
                    "${shape:+--shape=$shape}" "$(sed -n 's|^// options: ||p' "$file")" "$(basename "$file")"
            done
    done
    for file in tests/programs/correct/*.c*; do printf 'tests/programs/correct\trun %s\n' "$(basename "$file")"; done
} | grep -E -e "$only" | sort -u -t $'\t' -k 1,1 -k 2,2 | while IFS=$'\t' read -r folder words; do
    eval "row $folder $words" </dev/null
done | awk '{ print } /^(impossible|possible|unknown)/ { n[$1]++; lse[$2]++; all++ }
    END { printf "%d hold: %d impossible, %d possible, %d unknown; with single instructions %d impossible\n", all, n["impossible"], n["possible"], n["unknown"], lse["impossible"] }'
