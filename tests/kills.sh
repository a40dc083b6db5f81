#!/bin/bash
# An exploration with a journal is killed at random moments and gone on with, until it is done; then once more, until COUNT kills were made.
# Each time it ends with the counts of one that was not killed:
#   tests/kills.sh WHAT COUNT SEED COMMAND...     (COMMAND: run, check, refine, weaken, without --journal)
# WHAT: tool, program (the program under test), group (everything at once, as a machine that stops does), disk (the disk becomes full; then
# the group; a small file system is mounted for it) or mixed. Prints ok or FAIL with the number of kills and of answers, and of those that differ.
what=$1 wanted=$2 seed=$3
shift 3
RANDOM=$seed
command=$1
flags=(--quiet --json)
keys="verdict violation exhaustive executions blocked stuck cut histories revisits promoted tests serial_runs coverage"
if [ "$1" = refine ]; then keys="verdict violation exhaustive states implementation_states specification_states transitions depth"
elif [ "$1" != weaken ]; then flags+=(--no-record); fi
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
export TMPDIR=$work
mkdir "$work/small"
kinds=(tool program group disk)
case $what in mixed) ;; *) kinds=("$what") ;; esac
if ! mount -t tmpfs -o size=400m none "$work/small" 2>/dev/null; then
    [ "$what" = disk ] && { echo "skip kills: a full disk: no small file system can be mounted"; exit 0; }
    kinds=("${kinds[@]/disk/group}")
fi
journal=$work/small/journal
# the answer in $1, as its counts
counts() {
    awk -v keys="$keys" -f tests/json.awk "$1"
    [ "$command" != weaken ] || tr ',' '\n' <"$1" | grep -v 'seconds"\|peak_rss' | cksum # every try, with its execution
}
# SECONDS as text, for sleep, below $1 thousandths
below() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }

start=$(date +%s%N)
build/heddle "$@" "${flags[@]}" >"$work/one" 2>"$work/errors"
length=$((($(date +%s%N) - start) / 1000000))
one=$(counts "$work/one")
case $one in holds* | violated*) ;; *) echo "FAIL kills: $*: no answer without a journal: $one $(head -c 300 "$work/errors")"; exit 1 ;; esac

# what is killed: $1, of the session of process $2
strike() {
    local program
    case $1 in
    tool) kill -9 "$2" ;;
    program)
        program=$(pgrep -P "$2" | grep -vx "$(pgrep -P "$2" heddle-keeper || echo none)" | head -1)
        kill -9 "${program:-$2}" ;;
    disk)
        cat /dev/zero >"$work/small/full"
        sleep "$(below $((RANDOM % 200)))"
        ;;&
    group | disk) mapfile -t all < <(pgrep -s "$2"); kill -9 "${all[@]}" ;;
    esac 2>/dev/null
}
kills=0 answers=0 differ=0 starts=0
while [ "$kills" -lt "$wanted" ] && [ $starts -lt $((4 * wanted + 20)) ]; do
    starts=$((starts + 1))
    touch "$work/started"
    HEDDLE_DEBUG=journal-ms=20 setsid build/heddle "$@" "${flags[@]}" --journal="$journal" >"$work/two" 2>"$work/errors" &
    tool=$!
    # one in four is killed while it still compiles
    [ $((RANDOM % 4)) = 0 ] || until [ "$journal" -nt "$work/started" ] || ! kill -0 $tool 2>/dev/null; do sleep 0.02; done
    sleep "$(below $((RANDOM % (length < 60 ? 60 : length > 3000 ? 3000 : length))))"
    if kill -0 $tool 2>/dev/null; then
        strike "${kinds[RANDOM % ${#kinds[@]}]}" $tool
        kills=$((kills + 1))
    fi
    wait $tool 2>/dev/null
    status=$?
    rm -f "$work/small/full"
    case $status in
    0 | 1)
        two=$(counts "$work/two")
        answers=$((answers + 1))
        [ "$one" = "$two" ] || { differ=$((differ + 1)); echo "differs: $one without, $two with a journal (seed $seed)"; }
        rm -f "$journal" ;;
    2) # refused; a compiler that was killed, and a journal that is in use by processes that end, are none
        grep -q "another exploration\|damaged\|does not fit" "$work/errors" &&
            { differ=$((differ + 1)); echo "refused: $(head -c 300 "$work/errors") (seed $seed)"; rm -f "$journal"; } ;;
    esac
done
# the last one to its end
if [ -e "$journal" ]; then
    build/heddle "$@" "${flags[@]}" --journal="$journal" >"$work/two" 2>"$work/errors"
    two=$(counts "$work/two")
    answers=$((answers + 1))
    [ "$one" = "$two" ] || { differ=$((differ + 1)); echo "differs: $one without, $two with a journal (seed $seed)"; }
fi
if [ $differ = 0 ] && [ $answers -gt 0 ]; then echo "ok kills: $*: $what killed $kills times, $answers answers"
else echo "FAIL kills: $*: $what killed $kills times, $differ of $answers answers differ (seed $seed)"; fi
