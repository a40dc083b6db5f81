#!/usr/bin/env bash
# bench/relax.sh [PATTERN]: `heddle check --relax=auto` on the structures of tests/relax/expected.csv, as a table: what
# their authors claim, what is found, and what is left of their mutants. PATTERN: of the lines of that file. Libraries
# whose package is not installed are left out.
set -u
cd "$(dirname "$0")/.." || exit 2
heddle=build/heddle pattern=${1:-.} structures=0 mutants=0 differ=0
printf '| structure | claimed | found | of its mutant | source |\n| --- | --- | --- | --- | --- |\n'
while IFS=$'\t' read -r words promise source; do
    package=$(sed -n 's|^// package: ||p' "${words##* }")
    [ -z "$package" ] || dpkg -s "$package" >/dev/null 2>&1 || continue
    found=$(eval "timeout 200 $heddle check -q --no-record --json --relax=auto $words" 2>/dev/null |
        python3 -c 'import json, sys; a = json.load(sys.stdin); print(a.get("promise") or a["verdict"], a.get("violation") or "")')
    [ "${found%% *}" = "$promise" ] || { differ=$((differ + 1)); echo "differs: $words: $found, not $promise" >&2; }
    name=$(basename "${words##* }") mutant=$(grep -o -e '-D[A-Z0-9_=a-z]*' <<<"$words" | tr '\n' ' ')
    case $source in
    *mutant*) mutants=$((mutants + 1)); printf '| %s %s| | | %s | %s |\n' "$name" "$mutant" "$found" "$source" ;;
    *) structures=$((structures + 1)); printf '| %s %s| %s | %s | | %s |\n' "$name" "$mutant" "$promise" "$found" "$source" ;;
    esac
done < <(python3 -c 'import csv, sys
for row in list(csv.reader(open("tests/relax/expected.csv")))[1:]: print("\t".join(row))' | grep -e "$pattern")
echo
echo "$structures rows of structures, $mutants of mutants; $differ differ from what is claimed."
[ $differ = 0 ]
