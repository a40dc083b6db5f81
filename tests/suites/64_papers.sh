# bench/papers.sh: what is no answer agrees with nothing, and is counted by itself; doc/papers.md says what its tables are of, has
# each table that the script makes, and the paper's own columns as the script has them.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
sed -n '/^field()/p; /^answer()/,/^}/p; /^agrees()/,/^}/p' bench/papers.sh >"$work/functions"
# shellcheck disable=SC1091
. "$work/functions"
wrong=0 unanswered=0 rows=0
printf '#error no\n' >"$work/broken.c"; printf 'int main(void) { return 0; }\n' >"$work/fine.c"; printf 'int main(void) { return 1; }\n' >"$work/bad.c"
for file in broken fine bad none; do
    json=$(build/heddle run --json --quiet --no-record "$work/$file.c" 2>/dev/null)
    agrees "$(answer "$json" no yes)" no 2>/dev/null
done
agrees "$(answer '{"verdict": "inconclusive"}' no yes)" no 2>/dev/null
agrees "$(answer '' no yes) yes" 'no yes' 2>/dev/null
[ "$rows $wrong $unanswered" = "6 1 4" ] && echo "ok papers: a broken input is not answered" || echo "FAIL papers: $rows rows, $wrong wrong, $unanswered not answered, instead of 6, 1 and 4"
if left=$(grep -nE '= holds \] && echo yes|agrees "\$\(field verdict' bench/papers.sh); then echo "FAIL papers: an answer is taken for a word: $left"; else echo "ok papers: answers have one function"; fi
bad=$(grep -oE '^ +heading "[^":]*' bench/papers.sh | sed 's/.*"//' | while read -r title; do grep -qF "### $title" doc/papers.md || echo "$title"; done)
[ -z "$bad" ] && echo "ok papers: tables" || echo "FAIL papers: doc/papers.md has no table $bad"
# the columns of each heading
bad=$(grep -A1 -E '^ +heading "' bench/papers.sh | grep -oE '"[a-z][^"]*(;[^"]*){3,}"' | tr -d '"' | while read -r columns; do
    grep -qF "| ${columns//;/ | } |" doc/papers.md || echo "$columns"; done)
[ -z "$bad" ] && echo "ok papers: columns" || echo "FAIL papers: doc/papers.md has no table with the columns $bad"
# the paper's figures of Line-Up's Table 2 and of CDSSpec's Figure 7
bad=$(sed -n '/^lineup()/,/^}/p' bench/papers.sh | grep -E '^[A-Z][^|]*\|' | while IFS='|' read -r class _ _ _ serial most _ _ pass fail _; do
    grep -F "| $class |" doc/papers.md | grep -qE "\\| $serial / [0-9]+ \\| $most / [0-9]+ \\|.*\\| $pass / [0-9]+ \\| $fail / " || echo "$class"; done
    sed -n '/^injections()/,/^}/p' bench/papers.sh | grep -E '^[A-Z][^|]*\|[0-9]' | while IFS='|' read -r name paper _; do
        read -r -a theirs <<<"$paper"
        grep -F "| $name | ${theirs[0]} / " doc/papers.md | grep -q "${theirs[5]}% / " || echo "$name"; done)
[ -z "$bad" ] && echo "ok papers: the papers' own figures" || echo "FAIL papers: the figures of $bad differ from bench/papers.sh"
# rates are what the counts beside them say
bad=$(sed -n '/^### CDSSpec, Figure 7/,/^##* [^C]/p' doc/papers.md | grep -E '^\| [A-Z]' | awk -F'|' '{ for (i = 3; i <= 10; i++) { split($i, two, "/"); n[i] = two[2] + 0 }
    if (int(100 * (n[4] + n[5] + n[6] + n[7]) / n[3]) != n[10]) print $2 ": " n[10] }')
[ -z "$bad" ] && echo "ok papers: rates" || echo "FAIL papers: rates of $bad"
