# shellcheck shell=bash disable=SC1091,SC2015,SC2086
# Random programs of one language with everything in it, explored and judged by an oracle that shares no code with the engine
# (tests/random/README.md); and a mutant for each named condition of the reductions, each killed by a program that gets a wrong
# answer without it. HEDDLE_NIGHTLY=1: many more programs, all small ones, and what compilers make of C text.
[ -f build/lib/heddle_rt.o ] || { echo "skip random: build/lib/heddle_rt.o is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
unset HEDDLE_DEBUG
nightly=${HEDDLE_NIGHTLY:-}
. tests/random/build.sh
say() { # NAME: the driver's output is $work/out
    local last
    last=$(tail -n 1 "$work/out")
    case $last in
    *" 0 differ"*) echo "ok random $1: $last" ;;
    *) echo "FAIL random $1: $last"; head -n 40 "$work/out" ;;
    esac
}
random() { # NAME FOLDER ARGUMENTS...
    local name=$1 folder=$2
    shift 2
    "$folder/random" --engine="$folder/interp,$folder/interp.table" "$@" >"$work/out" 2>&1
    grep ' left out: [0-9]* times' "$work/out" >>"$work/rules"
    say "$name"
}
random_build "$work" || { echo "FAIL random: it can't be built"; exit 1; }
for sequences in "" --c11; do
    # shellcheck disable=SC2086
    random "regressions${sequences:+, C11}" "$work" $sequences --ways=3 check <tests/random/regressions.txt
done
ms=1000 # CPU of an exploration: what takes longer has ended at a limit of its own (serve.c)
seed=${HEDDLE_SEED:-$([ -n "$nightly" ] && date +%j0000 || echo 1)}
for size in 2 4; do
    random "programs of size $size" "$work" --size=$size --ways=3 "--ms=$ms" run "$((seed + size * 1000000))" "$([ -n "$nightly" ] && echo 20000 || echo 20)"
done
random "loops and what they meet" "$work" --words "--ms=$ms" --size=2 --ways=1 run "$seed" "$([ -n "$nightly" ] && echo 20000 || echo 30)"
random "awaits and looks" "$work" "--ms=$ms" --size=2 --features=await,look,plain,section,retry run "$seed" "$([ -n "$nightly" ] && echo 20000 || echo 10)"
# the states of rc11, beside its executions
random "by states of rc11" "$work" --models=rc11 --keys=states=views "--ms=$ms" --size=2 --ways=1 run "$seed" "$([ -n "$nightly" ] && echo 20000 || echo 15)"
# what is rare elsewhere: values that come back to who reads them twice; who leaves a queue of one; threads that are equal
random "values that come back" "$work" "--ms=$ms" --size=1 --ways=1 --features=only,again run "$((seed + 99))" "$([ -n "$nightly" ] && echo 20000 || echo 20)"
random "who leaves a queue" "$work" "--ms=$ms" --size=2 --ways=1 --features=only,leave run "$((seed + 8999))" "$([ -n "$nightly" ] && echo 20000 || echo 20)"
random "equal threads" "$work" "--ms=$ms" --size=2 --ways=1 --features=equal run "$((seed + 99))" "$([ -n "$nightly" ] && echo 20000 || echo 20)"
if [ -n "$nightly" ]; then
    random "all with a statement a thread" "$work" small 2 1
    random "some with two statements a thread" "$work" --ways=1 small 2 2 "$((seed % 60000 * 1000))" 20000
fi

# --- the same programs as C text
settings="gcc:-O2"
[ -n "$nightly" ] && settings="gcc:-O0 gcc:-O1 gcc:-O2 clang:-O0 clang:-O1 clang:-O2"
for setting in $settings; do
    cc=${setting%:*} level=${setting#*:}
    command -v "$cc" >/dev/null || { echo "skip random, $cc: it is not there"; continue; }
    for batch in $(seq "$([ -n "$nightly" ] && echo 20 || echo 1)"); do
        mkdir -p "$work/printed"
        cp "$work/random" "$work/table" "$work/printed"
        first=$((seed + batch * 1000)) count=$([ -n "$nightly" ] && echo 100 || echo 16)
        "$work/random" --size=3 print $first "$count" >"$work/printed/all.c"
        random_build "$work/printed" "$cc" "$level" "$work/printed/all.c" ||
            { echo "FAIL random, printed: $cc $level can't compile programs $first"; continue; }
        random "printed, $cc $level, from $first" "$work/printed" --size=3 --printed --ways=1 run $first "$count"
    done
done

# --- the campaign has asked each reduction: 1,000 times, or by day those that fire in any few programs once
while read -r times rule; do
    least=$([ -n "$nightly" ] && echo 1000 || case $rule in doomed | returning | lost | counters) echo 0 ;; *) echo 1 ;; esac)
    if [ "$times" -lt "$least" ]; then echo "FAIL random: $rule has left something out $times times only"
    elif [ "$least" -gt 0 ]; then echo "ok random: $rule has left something out"; fi
done < <(awk '{ sum[$1] += $4 } END { for (rule in sum) print sum[rule], rule }' "$work/rules")

# --- mutants: each killed by a program that the oracle judges, or by a text of tests/twin whose reduced search then differs
# from the plain one
tests/random/mutants.sh lines >"$work/out" || { echo "FAIL random mutants: $(head -n 3 "$work/out")"; exit 1; }
if tests/random/mutants.sh pages compare >"$work/out"; then echo "ok random mutants: doc/proofs has them"
else echo "FAIL random mutants: $(head -n 3 "$work/out")"; fi
mutants=$work/mutants
mkdir -p "$mutants"
cp "$work/random" "$work/table" "$mutants"
CC=${CC:-cc} tests/random/mutants.sh build "$mutants" && RANDOM_RUNTIME=$mutants/heddle_rt.o random_build "$mutants" ||
    { echo "FAIL random mutants: no runtime"; exit 1; }
"$work/random" --engine="$mutants/interp,$mutants/interp.table" --mutants="$mutants/names" --ms=200 \
    kill <tests/random/killers.txt >"$work/out" 2>&1
if grep -q ' killed, 0 not$' "$work/out"; then echo "ok random mutants: $(tail -n 1 "$work/out")"
else echo "FAIL random mutants: $(tail -n 5 "$work/out")"; fi
mkdir -p "$mutants/printed"
cp "$work/random" "$work/table" "$mutants/printed"
if "$work/random" print <tests/random/killers_printed.txt >"$mutants/printed/all.c" &&
    RANDOM_RUNTIME=$mutants/heddle_rt.o random_build "$mutants/printed" gcc -O2 "$mutants/printed/all.c" &&
    "$work/random" --engine="$mutants/printed/interp,$mutants/printed/interp.table" --mutants="$mutants/names" --ms=200 --printed \
        kill <tests/random/killers_printed.txt >"$work/out" 2>&1; then
    echo "ok random mutants, compiled: $(tail -n 1 "$work/out")"
else echo "FAIL random mutants, compiled: $(tail -n 5 "$work/out")"; fi
gcc -O1 -w -o "$work/compare" tests/helpers/compare_twins.c || { echo "FAIL random mutants: no comparison"; exit 1; }
for twin in looks confirms waits; do
    gcc -O0 -g -w -fno-omit-frame-pointer -fsanitize=thread --param tsan-distinguish-volatile=1 -c -o "$mutants/$twin.o" tests/twin/$twin.c &&
        gcc -no-pie -o "$mutants/$twin" "$mutants/$twin.o" "$mutants/server.o" "$mutants/heddle_rt.o" -Wl,-z,now,--build-id=none \
            "@build/lib/wrap.args" -ldl -lpthread && "$work/table" "$mutants/$twin" "$mutants/$twin.table" ||
        { echo "FAIL random mutants: $twin"; continue; }
    returned=$([ $twin = looks ] && nm "$mutants/$twin" | awk '$3 == "returned" { print $1 }')
    killed=0
    while IFS='|' read -r name which model text; do
        [ "$which" = $twin ] || continue
        number=$(awk -v name="$name" '$2 == name { print $1 }' "$mutants/names")
        # shellcheck disable=SC2086
        if [ -n "$number" ] && echo "$text" | RANDOM_MUTANT=$number "$work/compare" "$mutants/$twin" "$mutants/$twin.table" "$model" "$work" $returned >"$work/out"; then
            echo "FAIL random mutants: $name survives $twin, $model, $text"
        else
            killed=$((killed + 1))
        fi
    done < <(grep -v '^#' tests/random/killers_twins.txt)
    echo "ok random mutants: $killed by texts for $twin"
done
# --second-opinion exposes these: without a mutant both ways have one answer, with it they differ (an internal error, if no
# execution follows the states)
while IFS='|' read -r name model text; do
    number=$(awk -v name="$name" '$2 == name { print $1 }' "$mutants/names") keys='' got=''
    case $text in "c11 "*) keys=,release-sequences=c11 text=${text#c11 } ;; esac
    case $text in *weak.*) keys=$keys,weak-cas ;; esac
    for mutant in 0 "$number"; do
        got+=$(HEDDLE_RANDOM=$text RANDOM_MUTANT=$mutant HEDDLE_DEBUG=eager-confirm,second-opinion,model=$model$keys,liveness=$mutants/interp.table \
            timeout 20 setarch -R "$mutants/interp" 2>&1 | grep -aoE -m1 '^second opinion: .*|internal error: the program holds')\;
    done
    case $got in
    "second opinion: the same answer;second opinion: another answer;" | "second opinion: the same answer;internal error: the program holds;") echo "ok random second opinion: $name" ;;
    *) echo "FAIL random second opinion: $name: $got" ;;
    esac
done < <(grep -v '^#' tests/random/second.txt)
# the tool with a mutant: shows the violation, keeps the record, and calls it an internal error
mutated() { # NAME: its runtime, for the tool
    local number
    number=$(awk -v name="$1" '$2 == name { print $1 }' "$mutants/names")
    mkdir -p "$mutants/$1"
    echo "int random_mutant = $number;" >"$mutants/on.c"
    ${CC:-cc} -O1 -c -o "$mutants/on.o" "$mutants/on.c" && ld -r -o "$mutants/$1/heddle_rt.o" "$mutants/heddle_rt.o" "$mutants/on.o" &&
        cp build/lib/wrap.args "$mutants/$1" && echo "$mutants/$1/heddle_rt.o"
}
cp tests/random/second.c "$mutants"
got=$(runtime=$(mutated hopeless-knows) tool=$PWD/build/heddle && export HEDDLE_RUNTIME=$runtime && cd "$mutants" &&
    HEDDLE_DEBUG=eager-confirm "$tool" run --model=sc --second-opinion --no-repair second.c 2>&1; echo "status $?"; "$tool" replay second.heddle 2>&1 | head -n 1)
if [[ $(tr -s ' \n' ' ' <<<"$got") == violated:*"by its executions it holds, by its states it is violated"*"status 4 violated: assertion"* ]]; then echo "ok random second opinion: shown by the tool"
else echo "FAIL random second opinion: shown by the tool: ${got:0:400}"; fi
# a condition whose program has no end without the mutant (tests/found/poll_sets.c)
got=$(HEDDLE_RUNTIME=$(mutated looks-waiting) build/heddle run --model=sc --event-bound=30 --no-record --no-repair tests/found/poll_sets.c 2>&1 | head -n 1)
if [[ $got == violated:*livelock* ]]; then echo "ok random mutants: looks-waiting"; else echo "FAIL random mutants: looks-waiting: $got"; fi
# conditions that only what a compiler has seen comes to
while IFS='|' read -r name file arguments; do
    # shellcheck disable=SC2086
    got=$(HEDDLE_RUNTIME=$(mutated "$name") build/heddle run --quiet --no-record --no-repair --time=10s $arguments "tests/programs/$file" 2>&1 | head -n 1)
    want=$(sed -n '1s/^.*expect: \([a-z]*\).*/\1/p' "tests/programs/$file")
    if [[ $got == *:* && $got != "$want:"* ]]; then echo "ok random mutants: $name"; else echo "FAIL random mutants: $name survives $file: $got"; fi
done < <(grep -v '^#' tests/random/killers_programs.txt)
# each has its line, or is named among those that nobody can kill
missing=$(cut -d' ' -f2 "$mutants/names" | sort | comm -23 - <(cat tests/random/killers.txt tests/random/killers_printed.txt tests/random/killers_twins.txt tests/random/killers_programs.txt tests/random/survivors.txt <(echo looks-waiting) | grep -v '^#' | cut -d'|' -f1 | sort -u))
if [ -z "$missing" ]; then echo "ok random mutants: none forgotten"; else echo "FAIL random mutants: who kills" $missing; fi
