# The commands in documents are run, and print what the documents show: every line of a ```console block that
# begins with "$ " is a command, the lines after it must appear in its output in this order ("..." stands for
# anything, as does the end). A block below a line "<!-- needs PROGRAM -->" is for the nightly run, and skipped where that
# program is not installed. Names of files in README and doc/ exist.
root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/clone"
cp -r examples include "$work/clone"
ln -s "$root/corpus" "$work/clone/corpus"
export PATH=$root/build:$PATH
# run_command FILE COMMAND EXPECTED: in one folder a document, so that later commands find what earlier ones wrote
run_command() {
    local file=$1 command=$2 expected=$3 line rest
    (cd "$work/clone" && timeout 120 bash -c "$command") >"$work/out" 2>&1
    rest=$(cat "$work/out")
    while IFS= read -r line; do
        [ -n "$line" ] && [ "$line" != ... ] || continue
        case $rest in
        *"$line"*) rest=${rest#*"$line"} ;;
        *) echo "FAIL $file: $command: it does not print \"$line\" there"; head -n 12 "$work/out"; return ;;
        esac
    done <<<"$expected"
    if grep -q 'internal error\|Usage:' "$work/out"; then echo "FAIL $file: $command"; head -n 5 "$work/out"; else echo "ok $file: $command"; fi
}
for file in doc/*.md; do
    inside= command= expected= needs=
    while IFS= read -r line; do
        case $inside$line in
        '<!-- needs '*) needs=${line#<!-- needs } needs=${needs% -->} ;;
        '```console')
            inside=1
            if [ -n "$needs" ] && { [ -z "${HEDDLE_NIGHTLY:-}" ] || ! command -v "$needs" >/dev/null; }; then inside=0; echo "skip $file: $needs is not installed, or it is not night"; fi
            needs=
            ;;
        '0```') inside= ;;
        '1```') [ -z "$command" ] || run_command "$file" "$command" "$expected"; inside= command= expected= ;;
        '1$ '*) [ -z "$command" ] || run_command "$file" "$command" "$expected"; command=${line#\$ } expected= ;;
        1*) expected+=$line$'\n' ;;
        esac
    done <"$file"
done
# links to files
for file in README.md doc/*.md ARCHITECTURE.md CONTRIBUTING.md; do
    [ -f "$file" ] || continue
    missing=
    for name in $(grep -o '](\([^)#:]*\))' "$file" | sed 's/^](//; s/)$//'); do
        [ -e "$(dirname "$file")/$name" ] || missing="$missing $name"
    done
    if [ -z "$missing" ]; then echo "ok links of $file"; else echo "FAIL links of $file:$missing"; fi
done
# words of the field instead of paraphrases (doc/glossary.md has both columns), in everything that users read
banned='round(s)? for nothing|goes? round (a loop )?for nothing|nobody announces|begins? anew|takes (something|nothing) from|how manyth|outdated pass|that call for ever|by states: what stands|papers that Heddle unites|these are [0-9]* keystrokes|what is used again|is there, and means nothing'
said=$(for file in README.md ARCHITECTURE.md CONTRIBUTING.md NEWS.md man/* doc/*.md doc/proofs/*.md; do
    [ "$file" = doc/glossary.md ] || tr -s '\n ' ' ' <"$file" | grep -oE ".{0,40}($banned).{0,20}" | sed "s|^|$file: |"
done
grep -rhoE '"([^"\\]|\\.)*"' src --include=*.c | grep -E "$banned" | sed 's/^/a message: /')
if [ -z "$said" ]; then echo "ok words of the field"; else echo "FAIL words of the field: $said"; fi
