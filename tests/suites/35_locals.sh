# Locals of every kind at places of a stack that frames use again (tests/twin/locals.awk): what threads compute is what the
# processor computes. 2 programs here, 100 with each compiler, optimisation and model with HEDDLE_NIGHTLY=1.
[ -x build/heddle ] || { echo "skip locals: build/heddle is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
compare() { # SEED COMPILER OPTIMISATION MODEL
    local program="$work/$1.$2$3.$4.c" wanted
    awk -v seed="$1" -f tests/twin/locals.awk >"$program"
    if ! "$2" -O1 -w -o "${program%.c}" "$program" -lpthread; then echo "FAIL locals seed $1: it does not compile"; return; fi
    wanted=$("${program%.c}" print)
    if build/heddle run --quiet --no-record --cc="$2" --model="$4" "$3" -w -DWANTED="$wanted" "$program" >"$program.said" 2>&1; then
        echo "ok locals seed $1 $2 $3 $4"
    else
        echo "FAIL locals: awk -v seed=$1 -f tests/twin/locals.awk >l.c; heddle run --cc=$2 --model=$4 $3 -DWANTED=$wanted l.c: $(head -n 2 "$program.said" | tr '\n' ' ')"
    fi
}
seed=${HEDDLE_TWIN_SEED:-1}
compare "$seed" gcc -O2 rc11
command -v clang >/dev/null && compare $((seed + 8)) clang -O0 tso
[ -n "${HEDDLE_NIGHTLY:-}" ] || exit 0
for ((i = 0; i < 100; i++)); do
    for cc in gcc clang; do
        command -v $cc >/dev/null || continue
        for level in -O0 -O1 -O2; do for model in rc11 sc tso pso; do compare $((seed + i)) $cc $level $model; done; done
    done
done
