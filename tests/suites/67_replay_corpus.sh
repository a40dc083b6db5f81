# Every violation of the corpus is recorded, and shows again when it is replayed from sources that were
# moved to another folder. Every seventh here, all with HEDDLE_NIGHTLY=1. Then: sources that changed,
# records that are damaged, how much is printed.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
number=0
for list in corpus/*/expected.csv; do
    folder=$(basename "$(dirname "$list")")
    # the first field has commas only inside quotes
    while IFS= read -r line; do
        if [ "${line:0:1}" = '"' ]; then rest=${line#\"}; arguments=${rest%%\"*}; rest=${rest#*\",}
        else arguments=${line%%,*}; rest=${line#*,}; fi
        case "$arguments,$rest" in check\ *,violated,*|run\ *,violated,*) ;; *) continue ;; esac
        number=$((number + 1))
        [ -n "${HEDDLE_NIGHTLY:-}" ] || [ $((number % 7)) = 1 ] || continue
        rm -rf "$work/here" "$work/there"
        mkdir "$work/there"
        cp -r "corpus/$folder" "$work/here"
        eval "words=($arguments)"
        (cd "$work/here" && timeout 120 "$heddle" "${words[@]}" --quiet --ascii --record=r.heddle) >"$work/first" 2>&1
        if [ ! -f "$work/here/r.heddle" ]; then
            echo "FAIL replay corpus: no record of $folder: $arguments: $(head -n 1 "$work/first")"
            continue
        fi
        mv "$work/here/r.heddle" "$work/there/"; mv "$work/here" "$work/there/sources"
        # (a macro that is a word of the program, which a record may want only of those who trust it)
        trust=(); [[ ! $arguments =~ -D[A-Za-z_0-9]+=[A-Z] ]] || trust=(--trust-record)
        (cd "$work/there" && timeout 120 "$heddle" replay --ascii "${trust[@]}" -C sources r.heddle) >"$work/again" 2>&1; status=$?
        # verdict, results and steps are the same; what was found on the way is not told again
        sed -n -e 1,2p -e '/^The execution/,/^$/p' "$work/first" | grep -v '^$' >"$work/a"
        sed -n -e 1,2p -e '/^The execution/,/^$/p' "$work/again" | grep -v '^$' >"$work/b"
        if [ $status = 1 ] && diff -q "$work/a" "$work/b" >/dev/null; then echo "ok replay corpus: $folder: $arguments"
        else echo "FAIL replay corpus: $folder: $arguments: status $status"; diff "$work/a" "$work/b" | head -n 20; fi
    done <"$list"
done

# sources that changed
mkdir "$work/changed"; cp examples/queue.c examples/queue_check.c "$work/changed"; cd "$work/changed" || exit 2
says() { if [ "$status" = "$2" ] && tr -s '\n ' ' ' <out | grep -qE -- "$3"; then echo "ok replay $1"; else echo "FAIL replay $1: status $status"; cat out; fi; }
"$heddle" check --quiet --record=r.heddle queue_check.c >first 2>&1
echo '/* a comment */' >>queue.c
"$heddle" replay r.heddle >out 2>&1; status=$?
says "a comment is added: said, and it still shows" 1 'violated: linearizability.*note: changed since the record was made: [^ ]*queue.c'
sed -i 's/pthread_mutex_trylock(&head_lock)/pthread_mutex_lock(\&head_lock)/' queue.c
"$heddle" replay r.heddle >out 2>&1; status=$?
says "it was repaired: said, and it does not show" 3 'inconclusive: .*the recorded linearizability does not show again: .*note: changed since the record was made: [^ ]*queue.c'
rm queue.c
"$heddle" replay r.heddle >out 2>&1; status=$?
says "a source is gone" 2 'queue.c'

# records that are damaged
"$heddle" check --quiet --record=r.heddle "$root/examples/queue_check.c" >first 2>&1
size=$(stat -c %s r.heddle)
for bytes in 0 1 10 100 $((size / 2)) $((size - 1)); do
    head -c "$bytes" r.heddle >cut.heddle
    "$heddle" replay cut.heddle >out 2>&1; status=$?
    says "cut after $bytes bytes" 2 '^heddle: cut.heddle: '
done
cp r.heddle bent.heddle; printf 'X' | dd of=bent.heddle bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
"$heddle" replay bent.heddle >out 2>&1; status=$?
says "a byte changed" 2 '^heddle: bent.heddle: .*damaged'
echo 'int main;' >none.heddle
"$heddle" replay none.heddle >out 2>&1; status=$?
says "no record at all" 2 '^heddle: none.heddle: not a record of heddle'

# how much is printed
"$heddle" replay --allow-outside r.heddle >out 2>&1; usual=$(grep -cE '^. +[0-9]+  ' out)
"$heddle" replay --allow-outside --all r.heddle >out 2>&1; all=$(grep -cE '^. +[0-9]+  ' out)
if [ "$all" -gt "$usual" ]; then echo "ok replay --all prints more"; else echo "FAIL replay --all: $all steps, without it $usual"; fi
"$heddle" replay --allow-outside --steps=5 r.heddle >out 2>&1; status=$?
says "--steps=5" 1 'steps left out'
few=$(grep -cE '^. +[0-9]+  ' out)
if [ "$few" = 5 ]; then echo "ok replay --steps prints so many"; else echo "FAIL replay --steps=5: $few"; fi
