# Lives of threads (equal ones, too; exit and its like, pthread_exit, joins and detaching in every order, functions that run at exit,
# destructors of keys) and locks of every kind, in random programs: verdicts by all interleavings, every violation being
# replayed. 120 programs a model with gcc, 40 with C11's threads and by states; HEDDLE_NIGHTLY=1: 20,000 with each compiler.
# HEDDLE_TWIN_COUNT and HEDDLE_TWIN_SEED choose others.
mkdir -p build/twin
if ! ${CC:-cc} -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -O2 -o build/twin/sync tests/twin/sync/driver.c tests/twin/sync/machine.c \
    tests/twin/sync/generate.c tests/twin/said.c tests/twin/build.c build/tool.a -ldw -lelf -lcapstone -lz; then
    echo "FAIL sync: it does not compile"
    exit 1
fi
HEDDLE_RUNTIME=${HEDDLE_RUNTIME:-$PWD/build/lib/heddle_rt.o}
export HEDDLE_RUNTIME
[ -f "$HEDDLE_RUNTIME" ] || { echo "skip sync: $HEDDLE_RUNTIME is not there"; exit 0; }
night=${HEDDLE_NIGHTLY:-}
many=${HEDDLE_TWIN_COUNT:-${night:+20000}}; many=${many:-120}
few=${HEDDLE_TWIN_COUNT:-${night:+5000}}; few=${few:-40}
seed=${HEDDLE_TWIN_SEED:-1}
large=$night${HEDDLE_TWIN_COUNT:-} # with the locks of C++, too
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

compare() { # NAME PROGRAM MODEL COUNT [KEY]; the name cxx-...: with the locks of C++
    local cxx=; case $1 in cxx-*) cxx=--cxx ;; esac
    local out="$work/$1.$3"
    if HEDDLE_DEBUG=model=$3,confirm${5:+,$5} build/twin/sync $cxx compare "$3" "$seed" "$4" -- "$2" >"$out" 2>&1; then
        echo "ok sync $1 $(tail -n 1 "$out")"
    else
        echo "FAIL sync $1 under $3: repeat with HEDDLE_DEBUG=model=$3,confirm${5:+,$5} build/twin/sync $cxx check $3 PROGRAM -- $2"
        head -n 30 "$out"
    fi
}

build_programs() { # CC
    build/twin/sync build "$1" "build/twin/sync-$1" && build/twin/sync build "$1" "build/twin/sync-c11-$1" -DTHREADS_H &&
        { [ -z "$large" ] || build/twin/sync --cxx build "$1" "build/twin/sync-cxx-$1" -std=c++20; }
}
for cc in gcc clang; do
    command -v "$cc" >/dev/null || { echo "skip sync $cc: it is not installed"; continue; }
    [ $cc = gcc ] || [ -n "$night" ] || continue
    build_programs $cc || { echo "FAIL sync $cc: interp.c can't be built"; continue; }
    while read -r program; do
        for model in sc tso pso rc11; do
            if said=$(HEDDLE_DEBUG=model=$model,confirm build/twin/sync check $model "$program" -- build/twin/sync-$cc); then
                echo "ok sync $cc $model $program"
            else
                echo "FAIL sync $cc $model $program: $said"
            fi
        done
    done < <(grep -v '^#' tests/twin/sync/regressions.txt)
    for model in sc tso pso rc11; do compare $cc build/twin/sync-$cc $model "$many"; done
    compare c11-$cc build/twin/sync-c11-$cc rc11 "$few"
    [ -z "$large" ] || for model in sc tso rc11; do compare cxx-$cc build/twin/sync-cxx-$cc $model "$few"; done
    for model in sc tso; do compare states-$cc build/twin/sync-$cc $model "$few" states=always; done
    compare samples-$cc build/twin/sync-$cc rc11 "$few" schedules=20
done
