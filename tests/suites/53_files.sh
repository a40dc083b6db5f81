# builds: kept
# Every option and every argument that names a file, read off the options' tables (--help), meets what is no file: an
# endless device, a FIFO that nobody writes, symbolic links to a victim and to nothing, a device that is full, a file
# without an end, and a name with escape sequences. Whatever the answer: it comes soon, its status is 0 to 3, the victim is as it was,
# nothing appears where the dangling link points, and no escape reaches the terminal. By day the commands that compile meet
# each hazard at the options that no cheaper command has; HEDDLE_NIGHTLY=1: everything everywhere.
heddle=${HEDDLE:-$PWD/build/heddle}; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir "$work/good" "$work/tmp"; export TMPDIR=$work/tmp
cd "$work/good" || exit 2
unset CC
printf 'int main(void) { return 0; }\n' >p.c
printf '#include <pthread.h>\nint x;\nstatic void *f(void *a) { x++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }\n' >race.c
printf '#include <heddle.h>\nstatic int n;\nHD_INIT { n = 0; }\nHD_OP(a) { return HD_INT(n); }\n' >c.c
cp "$root/corpus/prove/treiber.hp" m.hp; cp "$root/corpus/refine/treiber_stack.hm" m.hm
cp "$root/examples/queue.h" q.h 2>/dev/null || printf 'void put(int);\n' >q.h
printf '{"process":1,"type":"call","op":"enq","args":[1]}\n{"process":1,"type":"return"}\n' >log.jsonl
printf '#include <heddle_spec.h>\ntypedef struct { int n; } S;\nHEDDLE_SPEC_STATE(S);\nHEDDLE_SPEC_INIT(s) { s->n = 0; }\nHEDDLE_SPEC_OP(enq, s, c) { s->n++; return HEDDLE_DONE; }\n' >golden.c
"$heddle" run -q --record=r.heddle race.c >/dev/null 2>&1
"$heddle" run -q --no-record --journal=j p.c >/dev/null 2>&1
"$heddle" run -q --no-record --shard=1/1 p.c >/dev/null 2>&1
[ -s r.heddle ] && [ -s j ] && [ -s p.part-1-of-1 ] || { echo "FAIL files: the files to begin with were not made: $(ls)"; exit 1; }

# The words of a command that works, with FILE where the argument stands.
words() { # COMMAND: prints the options; the argument follows them
    case $1 in
    run) echo -q --no-record ;;
    check) echo -q --no-record --shape=1x1 --model=sc ;;
    weaken | repair | merge | status | report) echo ;;
    replay) echo ;;
    history) echo --spec=fifo ;;
    refine) echo -q --states=1000 ;;
    prove) echo --time=1s ;;
    esac
}
argument() {
    case $1 in
    run | weaken | repair) echo p.c ;; check) echo c.c ;; replay | report) echo r.heddle ;; history) echo log.jsonl ;; refine) echo m.hm ;;
    prove) echo m.hp ;; init) echo q.h ;; merge) echo p.part-1-of-1 ;; status) echo j ;;
    esac
}
# What a hazard is called in the folder of one run, by the ending that the argument should have.
hazard() { # NAME ENDING: prints the path
    case $1 in
    zero) ln -s /dev/zero "zero$2"; if [ -n "$2" ]; then echo "zero$2"; else echo /dev/zero; fi ;;
    fifo) mkfifo "fifo$2"; echo "fifo$2" ;;
    link) ln -s ../victim "link$2"; echo "link$2" ;;
    nowhere) ln -s ../nowhere "nowhere$2"; echo "nowhere$2" ;;
    full) ln -s /dev/full "full$2"; if [ -n "$2" ]; then echo "full$2"; else echo /dev/full; fi ;;
    sparse) truncate -s 4T "sparse$2"; echo "sparse$2" ;;
    escape) printf 'x\033[31m\302\233\rm%s' "$2" ;;
    esac
}
hazards='zero fifo link nowhere full sparse escape'
count=0
meets() { # COMMAND WHERE HAZARD ENDING WORDS...: FILE in WORDS is the hazard
    local command=$1 where=$2 hazard=$3 ending=$4 path got bad='' before most; shift 4
    rm -rf "$work/here"; cp -r "$work/good" "$work/here"; cd "$work/here" || exit 2
    path=$(hazard "$hazard" "$ending")
    rm -f ../nowhere; rm -rf ../victim
    case $where in *FOLDER) mkdir ../victim; echo 'the victim' >../victim/file ;; *) echo 'the victim' >../victim ;; esac
    before=$(cd ..; ls -lR victim)
    case " $compiling " in *" $command "*) most=unlimited ;; *) most=4000000 ;; esac
    (ulimit -v $most; exec timeout -k 1 20 "$heddle" "$command" "${@//FILE/$path}") >../out 2>../err </dev/null; got=$?
    [ $got -le 3 ] || bad="exit status $got"
    [ -e ../nowhere ] && bad="$bad wrote through the dangling link"
    [ "$before" = "$(cd ..; ls -lR victim)" ] && grep -qr 'the victim' ../victim || bad="$bad changed the victim"
    if [ "$hazard" = escape ] && LC_ALL=C grep -qP '\x1b|\xc2[\x80-\x9f]|\r' ../out ../err; then bad="$bad an escape is printed: $(cat -v ../out ../err | grep -m 1 -E '\^\[|M-B|\^M')"; fi
    [ $got != 2 ] || [ -s ../err ] || [ "$command" = merge ] || bad="$bad no message"
    count=$((count + 1))
    [ -z "$bad" ] || echo "FAIL files: heddle $command, $hazard as $where:$bad: $(head -c 300 ../err | tr '\n' ' ')"
}

# Options by their tables: "--name=WHAT" of every command. What names no file is listed, so that a new kind is asked about.
# The compiler of `heddle cc` reads its sources itself, as the user asks: that command is not here.
other='N|TIME|SIZE|M|T|C|S|F|CC|WORD|NAME|MODEL|POLICY|N:M|RULE|RULES|PLACE|I/N|COMPILER|WHAT|WHEN|TEST|TxN\[\+M\]?|OP:RESULT,\.\.\.|OP:K,\.\.\.|OP:N,\.\.\.|WHICH|HOW|TYPE|HEADER|NAMES|LIST|PORT|NAME=VALUE|THREADS|auto|N\[:M\]?'
compiling='run check weaken replay repair'
some_of() { # COMMAND: check, weaken, repair and replay open their files as run does
    case "$1${HEDDLE_NIGHTLY:-}" in check | weaken | replay | repair) echo fifo link escape ;; *) echo "$hazards" ;; esac
}
known=' run check weaken repair history refine prove merge status init serve replay report cc c++ '
for command in $("$heddle" --help | sed -nE 's/^  ([a-z+]+)  .*/\1/p'); do
    [[ "$known" == *" $command "* ]] || echo "FAIL files: heddle $command: tests/suites/53_files.sh must know it"
done
failures=$(mktemp "$work/XXXX")
seen=' '
for command in prove refine history merge status report init run check replay weaken repair; do
    options=$("$heddle" "$command" --help | sed -nE 's/^ +(-[a-zA-Z], *)?--([a-z-]+)\[?=(.*)/\2 \3/p' | awk '{ sub(/\]$/, "", $2); print $1, $2 }')
    [ "$command" = history ] && options="$options
spec FILE.c"
    {
        while read -r name what; do
            [ -n "$name" ] || continue
            if grep -qxE "$other" <<<"$what"; then continue; fi
            case $what in FILE | FILE.c | FOLDER) ;; *) echo "FAIL files: heddle $command --$name=$what: does $what name a file? tests/suites/53_files.sh must know"; continue ;; esac
            case "$compiling " in
            *"$command "*) # what another command has met with the same code need not be met again by day
                if [ -z "${HEDDLE_NIGHTLY:-}" ] && [[ "$seen" == *" $name "* ]]; then continue; fi ;;
            esac
            for hazard in $(some_of "$command"); do
                [ "$what" = FOLDER ] && [ $hazard = sparse ] && continue
                ending=; [ "$what" = FILE.c ] && ending=.c
                list=$(words "$command"); [[ "$name" == record ]] && list=${list//--no-record/}
                file=$(argument "$command"); case $name in record | sarif | junit | html) [ "$command" != run ] || file=race.c ;; esac
                case "$name" in config) file= ;; esac
                # shellcheck disable=SC2086
                meets "$command" "--$name=$what" "$hazard" "$ending" $list "--$name=FILE" $file
            done
            seen="$seen$name "
        done <<<"$options"
        file=$(argument "$command"); ending=.${file##*.}; [ "$ending" = ".$file" ] && ending=
        for hazard in $(some_of "$command"); do
            # shellcheck disable=SC2046
            meets "$command" "an argument" "$hazard" "$ending" $(words "$command") FILE
        done
    } >"$failures"
    cat "$failures"
    if grep -q FAIL "$failures"; then :; else echo "ok files: heddle $command"; fi
done
[ "$count" -gt 100 ] && echo "ok files: $count meetings" || echo "FAIL files: only $count meetings"
