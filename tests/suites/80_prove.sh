# heddle prove: the corpus, the paper's Figure 5, certificates, the user's facts, bad input.
here=$PWD
heddle=${HEDDLE:-$PWD/build/heddle}
if [ ! -x "$heddle" ] || ! "$heddle" prove --help >/dev/null 2>&1; then echo "skip prove (not built)"; exit 0; fi
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

# verdict NAME EXPECTED-STATUS EXPECTED-PATTERN ARGUMENTS...
expect() {
    local name=$1 status=$2 pattern=$3; shift 3
    timeout 300 "$heddle" prove "$@" >"$out/stdout" 2>"$out/stderr"; local got=$?
    if [ "$got" = "$status" ] && cat "$out/stdout" "$out/stderr" | grep -qe "$pattern"; then echo "ok $name"
    else echo "FAIL $name: status $got, expected $status and '$pattern'"; head -n 5 "$out/stdout" "$out/stderr"; fi
}

# Every row of the corpus.
cd corpus/prove || exit 2
while IFS= read -r line; do
    case $line in '"prove '*) ;; *) continue ;; esac # the others are 70_corpus's
    arguments=${line#\"prove }; arguments=${arguments%%\"*}
    rest=${line#*\",}; verdict=${rest%%,*}; rest=${rest#*,}; violation=${rest%%,*}
    case $arguments in *BUG*dglm*) [ "${HEDDLE_NIGHTLY:-}" = 1 ] || continue ;; esac
    # shellcheck disable=SC2086
    timeout 300 "$heddle" prove --json $arguments >"$out/stdout" 2>"$out/stderr"
    got=$(awk -v keys="verdict violation" -f "$here/tests/json.awk" "$out/stdout")
    if [ "$got" = "$verdict	${violation:--}" ]; then echo "ok corpus/prove $arguments"
    else echo "FAIL corpus/prove $arguments: got $got, expected $verdict $violation"; head -n 3 "$out/stderr"; fi
    # Most violations are found before a proof is tried; so try one.
    if grep -q '"proof_tried":false' "$out/stdout"; then
        case $arguments in
        treiber*|snapshot*|rdcss*|ms_queue_bad*|twolock_queue_bad*|herlihy*|*counters.hm) ;;
        *) [ "${HEDDLE_NIGHTLY:-}" = 1 ] || continue ;;
        esac
        # shellcheck disable=SC2086
        if timeout 300 "$heddle" prove --no-search $arguments >"$out/stdout" 2>&1; then
            echo "FAIL corpus/prove $arguments: proved"
        else
            echo "ok corpus/prove $arguments is not proved"
        fi
    fi
done < <(tail -n +2 expected.csv)
# Files of the corpus without a row would be tested by nobody.
for file in *.hp *.hm; do
    grep -q "[ \"]$file\"" expected.csv || echo "FAIL corpus/prove/$file: no row in expected.csv"
done
cd ../.. || exit 2

# What is assumed is said, and then the answer is not `holds'.
cat >"$out/nogc.hp" <<'END'
struct node { int val; node next; }
global node top;
op Push { node X; int v; 1 p: new X; X.val = v; X.next = top; top = X; }
spec { global int n; op Push { int v; 1 n = n + 1; } }
END
expect given-collection 3 'proved given: memory is garbage collected' "$out/nogc.hp"
sed '$d' "$out/nogc.hp" >"$out/nospec.hp"
expect given-specification 3 'proved given: serial runs of the text are right' "$out/nospec.hp"
printf 'assume "the moon is round";\nglobal int x;\nop A { 1 x = 1; }\nspec { op A { 1 } }\n' >"$out/assume.hp"
expect given-assumption 3 'proved given: the moon is round' "$out/assume.hp"

# A fact of the user's: used if it holds, refused with a state if not.
printf 'global int x, y;\ninvariant x == y;\nop A { 1 x = x + 1; y = y + 1; }\nop B { 1 <x == y> }\nspec { global int n; op A { 1 n = n + 1; } op B { 1 } }\n' >"$out/fact.hp"
expect fact-holds 0 'holds' "$out/fact.hp"
sed 's/invariant x == y/invariant x <= 3/' "$out/fact.hp" >"$out/nofact.hp"
expect fact-refused 2 'nofact.hp:2: the fact x <= 3 does not hold: a of A breaks it in the state' "$out/nofact.hp"
printf 'global int x;\ninvariant x == 1;\nop A { 1 <x == 1> }\n' >"$out/first.hp"
expect fact-refused-initially 2 'first.hp:2: the fact x == 1 does not hold: init breaks it' "$out/first.hp"
printf 'global int x;\nop A { int v;\n 1 <x == v>\n assert <x == v>\n 1 x = v + 1;\n}\n' >"$out/point.hp"
expect point-fact-refused 2 'point.hp:4: the fact x == v does not hold: b of another A' "$out/point.hp"

# An argument that no step looks at may be any value: the specification does not get to choose it.
cat >"$out/dropped.hp" <<'END'
global int n;
op Push { int v; 1 a: n = n + 1; }
op Pop { int v; 1 b: <n > 0; v == 0> n = n - 1; }
spec { global int s[], n;
 op Push { int v; 1 s[n] = v; n = n + 1; }
 op Pop { int v; 1 <n > 0; v == s[n - 1]> n = n - 1; }
}
END
expect argument-dropped 1 'Push returns' "$out/dropped.hp"
printf 'int(0..1) x;\nthreads 2;\noperation void put(bool b) { atomic { x = 0; } }\noperation bool get() { atomic { return x == 1; } }\nspecification register { bool kept; operation void put(bool b) { kept = b; } operation bool get() { return kept; } }\n' >"$out/dropped.hm"
expect argument-dropped-model 1 'put_1 returns' "$out/dropped.hm"

# A thread that pushes again before its node has a stamp: the order of its pool is refused.
sed 's/stamped = 1; phase\[p\] = 0;/stamped = 1;/; s/phase\[p\] = 2;/phase[p] = 0;/; s/phase\[p\] == 2; X.pool/X.pool/' corpus/prove/ts_stack_pools.hp >"$out/pools.hp"
expect pool-order-refused 2 'does not hold: p[0-9] of' "$out/pools.hp"

# A walk that does not keep what it says: what the lemma asks for is then given, not shown.
sed 's/keeping <P.mark == 0>/keeping <P.key == 1>/' corpus/prove/orvyy_set.hp >"$out/walk.hp"
expect walk-refused 3 'proved given: .*what the walk of ContP keeps: the node it starts from' --no-search "$out/walk.hp"

# A limit of effort or time gives no proof, never a wrong one.
expect effort 3 'not proved' --effort=1 --no-search corpus/prove/twolock_queue.hp
expect time 3 'time limit' --time=1ms corpus/prove/orvyy_set.hp
expect no-weakening 3 'not proved' --no-weakening --no-search corpus/prove/treiber.hp

# Where the proof fails: the state, and what would help.
expect what-helps 3 "what helps: if that state can't be, \`invariant' or" --no-search corpus/prove/snapshot_bad1.hp
printf 'threads 2;\nstruct Node { int(0..2) val; } pool 4;\nNode *top;\nbool seen;\noperation void look() { Node *o = top; int(0..2) d = o->val; seen = d == 1; }\nspecification s { operation void look() { } }\n' >"$out/where.hm"
expect memory-state 3 'look_1(o=0' --no-search "$out/where.hm"

# Bad input: status 2 and a place.
printf 'op A {\n 1 <x == 0>\n}\n' >"$out/bad.hp"
expect undeclared 2 "bad.hp:2:5: 'x' is not declared" "$out/bad.hp"
expect missing-file 2 "No such file" "$out/none.hp"
expect no-argument 2 'no model is named'
expect two-arguments 2 'one model at a time' a b
expect bad-number 2 'no number' --keys=zero "$out/fact.hp"
expect unknown-option 2 'unrecognized' --nonsense "$out/fact.hp"
head -c 3000 /dev/urandom >"$out/noise.hp"
expect noise 2 'noise.hp:' "$out/noise.hp"

# The paper's notation: P[next] (Figure 12), Q[tail] for Q.tail (Section V); figures without our additions are read, too.
figures=corpus/prove/figures
sed '/^init/d; /^spec/,$d' $figures/figure12.hp >"$out/figure12.hp"
expect paper-figure12 3 '3 operations, 9 sub-operations' --no-search "$out/figure12.hp"
expect paper-figure12-algorithm 0 'Algorithm 1 on these tables: every history can be made serial' --explain $figures/figure12.hp
sed '/^spec/,$d' $figures/figure8.hp >"$out/figure8.hp"
expect paper-figure8 3 '1 operations, 2 sub-operations' --no-search "$out/figure8.hp"
sed 's/Q.tail/Q[tail]/g' corpus/prove/ms_queue_paper.hp >"$out/bracket.hp"
expect paper-bracket 0 'holds' "$out/bracket.hp"

# Clauses: what they name must exist and fit.
clauses() { printf "$1" >"$out/clause.hp"; }
ops='op E { int k, v;\n 1 a: k = x; x = x + 1; y[k] = v;\n'
clauses "global int x, y[];\n${ops} inserts k as v at a;\n}\n"
expect inserts-without-spec 2 "clause.hp:2:1: 'E' inserts or removes: say \`spec stack;'" "$out/clause.hp"
clauses "global int x, y[];\n${ops} inserts k as v at b;\n}\nspec stack;\n"
expect clause-unknown-step 2 "clause.hp:4:20: 'b' is no step of 'E'" "$out/clause.hp"
clauses "global int x, y[];\n${ops} inserts k as w at a;\n}\nspec stack;\n"
expect clause-unknown-local 2 "clause.hp:4:15: 'w' is no local of 'E'" "$out/clause.hp"
clauses "global int x, y[];\n${ops}}\nspec queue;\n"
expect clause-missing 2 "clause.hp:2:1: 'E' neither inserts nor removes" "$out/clause.hp"
clauses "global int x, y[];\n${ops} inserts k as v at a;\n}\nspec queue;\nspec stack;\n"
expect spec-twice 2 'clause.hp:7:6: a second specification' "$out/clause.hp"
clauses "global int x, y[];\nop F { 1 b: 1 a: <each int j: (y[j] == 0)> }\n"
expect each-without-spec 2 "needs \`spec stack;' or \`spec queue;'" "$out/clause.hp"
clauses "global int x, y[];\nop F { int v; 1 a: <each int j: (y[j] == 0)> }\nspec queue;\n"
expect each-first 2 "clause.hp:2:1: a step that looks at \`each' has no moment of its own" "$out/clause.hp"
clauses "global int x, y[];\nop F { int v; 1 b: 1 a: <each int j: (y[j] == 0)> v = x; }\nspec queue;\n"
expect each-and-more 2 "clause.hp:2:1: a step that looks at \`each' does nothing else" "$out/clause.hp"
clauses "global int x, y[];\nop F { 1 b: 1 a: <(x == 0 || each int j: (y[j] == 0))> }\nspec queue;\n"
expect each-inside 2 "clause.hp:2:1: \`each' can't be part of another condition" "$out/clause.hp"
clauses "global int x, y[];\n${ops} meets G(k = k, v = v) at a;\n}\n"
expect meets-nobody 2 "clause.hp:4:1: there is no operation 'G' to meet" "$out/clause.hp"
clauses "global int x, y[];\n${ops} meets E(k = k, v = v) at a;\n}\n"
expect meets-itself 2 "'E' can't be met" "$out/clause.hp"
clauses "global int x, y[];\n${ops} inserts k as v at a;\n}\nop D { int i, v; 1 b: <y[i] == v; v > 0> y[i] = 0; removes i as v at b; }\nspec stack;\n"
expect ranks-refuted 1 'not proved: at b of D' --no-search "$out/clause.hp"
clauses "global int x, y[];\nop F { int v; 1 a: v = y[x %% v]; }\n"
expect size-missing 2 "clause.hp:2:.*\`%' is followed by the name in \`size N;', or a number from 1 to 10000" "$out/clause.hp"
clauses "size N;\nop F { 1 a: N = 3; }\n"
expect size-set 2 "clause.hp:2:13: the size can't be set" "$out/clause.hp"
clauses "size N; size M;\nop F { 1 a: }\n"
expect size-twice 2 "clause.hp:1:14: a second size" "$out/clause.hp"
# What is read in a step that looks has another moment than the looks: they may come before.
sed 's/ 1 d1: l = back;/ 1 d1:/; s/<0 <= i;/<l == back; 0 <= i;/' corpus/prove/herlihy_wing_queue.hp >"$out/moment.hp"
expect each-own-time 3 'not proved' --no-search "$out/moment.hp"
# A pair that does not leave the specification as it was.
sed 's/ s\[n\] = 0;//' corpus/prove/elimination.hp >"$out/pair.hp"
expect pair-leaves-something 3 'PushP and PopA one after the other may not be possible' --no-search "$out/pair.hp"

sed 's/internal op WithdrawPush/op WithdrawPush/; s/^ op PushA {/ op WithdrawPush { int v; 1 s[n] = v; n = n + 1; }\n&/' corpus/prove/elimination.hp >"$out/alike.hp"
expect begins-alike 2 "'WithdrawPush' begins like 'PushP', which waits" "$out/alike.hp"

# Arguments and results are matched by position: no name is ever taken for another.
names() { # NAME STATUS PATTERN BODY-OF-TICKET SPECIFICATION
    printf 'threads 2;\nint x, x1;\n%s\nspecification s { %s }\n' "$4" "$5" >"$out/names.hm"
    expect "$1" "$2" "$3" "$out/names.hm"
}
ticket='int x; operation int ticket() { x = x + 1; return x - 1; }'
names names-helper 1 'not linearizable' 'atomic int fetch() { int result = x; x = x + 1; return result; } operation int ticket() { int t = fetch(); return 0; }' "$ticket"
names names-helper-right 0 'holds' 'atomic int fetch() { int result = x; x = x + 1; return result; } operation int ticket() { int result = 0; int t = fetch(); return t; }' "$ticket"
names names-versions 0 'holds' 'operation int ticket() { int x2 = 7; int t = 5; atomic { t = x; x = x + 1; } x2 = x1; return t; }' "$ticket"
names names-parameter 1 'not linearizable' 'operation int put(int(0..2) result) { x = result; return 0; } operation int get() { int v = x; return 0; }' 'int x; operation int put(int(0..2) v) { x = v; return 0; } operation int get() { return x; }'
names names-order 1 'not linearizable' 'operation void put(int(0..2) a, int(0..2) b) { x = b; } operation int get() { return x; }' 'int x; operation void put(int(0..2) b, int(0..2) a) { x = b; } operation int get() { return x; }'
names names-order-right 0 'holds' 'operation void put(int(0..2) a, int(0..2) b) { x = a; } operation int get() { return x; }' 'int x; operation void put(int(0..2) b, int(0..2) a) { x = b; } operation int get() { return x; }'
names names-own-local 0 'holds' 'operation int ticket() { int a = 0; atomic { a = x; x = x + 1; } return a; }' 'int x; operation int ticket() { int a = x; x = x + 1; return x - 1; }'
hidden() { printf "$2" >"$out/hidden.hp"; expect "hidden-$1" 2 "$3" "$out/hidden.hp"; }
hidden local 'global int n;\nop A { int n; 1 a: <n == 1> }\n' "hidden.hp:2:12: local 'n' hides the global of 1:12"
hidden argument 'int n;\nA(int n)\n 1 n = n;\n' "hidden.hp:2:7: local 'n' hides the global of 1:5"
hidden later 'op A { int n; 1 a: <n == 1> }\nglobal int n;\n' "hidden.hp:2:12: the local of 1:12 hides global 'n'"
hidden bound 'struct E { int v; }\nop A { int n; 1 a: <none E n: (n.v == 1)> }\n' "hidden.hp:2:28: variable 'n' hides the local of 2:12"
hidden invariant 'struct E { int v; }\nglobal int n;\ninvariant forall E n: n.v == 0;\nop A { 1 a: }\n' "hidden.hp:3:20: variable 'n' hides the global of 2:12"
hidden specification 'global int x;\nop A { int v; 1 a: <x == v> }\nspec { global int v; op A { int v; 1 <v == v> } }\n' "hidden.hp:3:33: local 'v' hides the global of 3:19"

# Positions and constants of any size.
for at in 0 3 9 31 -4 123456789; do
    printf 'global int x;\nop W { 1 a: x = x + 1; }\nop R { int v; 1 b: <x == v> }\nspec { global int s[];\n op W { 1 s[%s] = s[%s] + 1; }\n op R { int v; 1 <v == s[%s]> } }\n' $at $at $at >"$out/far.hp"
    expect "position$at" 0 'holds' "$out/far.hp"
    sed 's/<x == v>/<x == v + 1>/' "$out/far.hp" >"$out/far1.hp"
    expect "position$at-wrong" 1 'violated' "$out/far1.hp"
done
# A relation of the user's, in both notations: without it nothing is known of long runs; one that is false is refused.
related() { # NAME STATUS PATTERN REFINEMENT
    printf 'int x, y;\ninit { x = 7; }\nop Inc { int r; 1 a: <x == r> x = x + 3; y = y + 5; }\nop Get { int v; 1 b: <y == v> }\nspec { int n; op Inc { int r; 1 <r == 3 * n + 7> n = n + 1; } op Get { int v; 1 <v == 5 * n> } }\n%s\n' "$4" >"$out/related.hp"
    printf 'threads 2;\nint x = 7;\nint y;\noperation int inc() { int r; atomic { r = x; x = x + 3; y = y + 5; } return r; }\noperation int get() { return y; }\nspecification s { int n; operation int inc() { int r = 3 * n + 7; n = n + 1; return r; } operation int get() { return 5 * n; } }\n%s\n' "$4" >"$out/related.hm"
    expect "related-$1-text" "$2" "$3" "$out/related.hp"
    expect "related-$1-model" "$2" "$3" "$out/related.hm"
}
related none 3 'proved but for serial runs of more than' ''
related given 0 'holds' 'refinement { x == 3 * spec.n + 7; y == 5 * spec.n; }'
if ! command -v python3 >/dev/null; then echo "skip related-certified (no python3)"
elif "$heddle" prove --certify="$out/certificate" "$out/related.hp" >"$out/stdout" 2>&1 &&
    python3 tools/check_certificate.py "$out/related.hp" "$out/certificate" none >"$out/checked" 2>&1; then echo "ok related-certified"
else echo "FAIL related-certified: $(head -c 300 "$out/checked")"; fi
related false 3 'the fact x == spec.n \* 3 + 8 does not hold: init breaks it' 'refinement { x == 3 * spec.n + 8; y == 5 * spec.n; }'
related unknown 2 "'spec.m' is not declared" 'refinement { x == spec.m; }'
related twice 2 "a second .refinement'" 'refinement { x >= 0; } refinement { y >= 0; }'
related open 2 "expected '}' before" 'refinement { x == 3;'
# What serial runs of a few operations can't tell: without a relation there is no `holds'.
printf 'global int n;\nop A { 1 a: n = n + 1; }\nop R { int v; 1 b: <v == 0; n < 40> }\nop T { int v; 1 c: <v == 1; n >= 40> }\nspec { op A { 1 } op R { int v; 1 <v == 0> } op T { int v; 1 <v == 0> } }\n' >"$out/long.hp"
expect long-history 3 'not proved: ' "$out/long.hp"
printf 'global int n;\nop A { 1 a: n = n + 1; }\nop R { int v; 1 b: <((n < 40 && v == 0) || (n >= 40 && v == 1))> }\nspec { op A { 1 } op R { int v; 1 <v == 0> } }\n' >"$out/late.hp"
expect late-change 3 'not proved: proved but for serial runs of more than [0-9]* operations: R may do' "$out/late.hp"
# A specification whose places run away is not cut off, and then called violated.
printf 'global int i;\nop W { 1 a: i = i + i + 9; }\nop R { int v; 1 b: <v == i> }\nspec { global int s[], k;\n op W { 1 k = k + k + 9; s[k] = k; }\n op R { int v; 1 <v == s[k]> } }\n' >"$out/away.hp"
"$heddle" prove "$out/away.hp" >"$out/stdout" 2>&1
if [ $? = 1 ]; then echo "FAIL places-run-away: $(head -n 2 "$out/stdout")"; else echo "ok places-run-away"; fi
printf 'global int x;\nop W { int v; 1 a: x = v; }\nop R { int v; 1 b: <x == v; v < 7> }\nop Q { int v; 1 c: <x > 6; v == 0> }\nspec { global int y; op W { int v; 1 y = v; } op R { int v; 1 <v == y> } op Q { int v; 1 <v == 0; y < 7> } }\n' >"$out/value7.hp"
expect value-seven 1 'W returns' "$out/value7.hp"

# Private steps of the paper's notation: joined if nobody can see the node.
private() { # NAME STATUS PATTERN STEP-OF-SEEN
    printf 'struct node{int v};\nint cnt;\nnode top;\ncollected;\ninit { node D; new D; top = D; }\nAlloc()\nnode X;\n1 X = malloc node; ...a\n1 X.v = 5; ...b\n1 top = X; cnt = cnt + 1; ...c\nSeen()\nnode Y;\n1 %s ...s\nCount()\nint r;\n1 r = cnt; ...n\nspec {\nint n;\nAlloc() 1 n = n + 1;\nSeen() 1 <n > 0>\nCount() int r; 1 <r == n>\n}\n' "$4" >"$out/private.hp"
    expect "private-$1" "$2" "$3" "$out/private.hp"
}
private any 1 'a real violation' '<Y.v == 5>'
private live 1 'a real violation' '<live Y; Y.v == 5>'
private stored 0 'holds' '<top == Y; Y.v == 5>'
private order 0 'holds' '<Y.v == 5; Y == top>'
private or 1 'a real violation' '<(Y == top || Y.v == 5); Y.v == 5>'
# By the proof alone, too: without the search nothing of this is proved.
private any 1 'a real violation' '<Y.v == 5>'
expect private-any-not-proved 3 "may be seen\|not reordered" --no-search "$out/private.hp"
private live 1 'a real violation' '<live Y; Y.v == 5>'
expect private-live-not-proved 3 "may be seen\|not reordered" --no-search "$out/private.hp"
for name in private_plain_holds private_holds figure4_mutant; do
    expect "proof-alone-$name" 3 'not proved' --no-search "tests/found/prove_$name.hp"
done
# Nodes that the model frees: a freed one may be used again, and touching it is an error.
freed() { # NAME STATUS PATTERN SWAP
    printf '#include <common.hm>\nthreads 2;\nstruct Node { int(0..2) val; } pool 4 manual;\nNode *top;\nbool lk;\ninit { top = new Node; }\noperation int(0..2) swap(int(0..2) w) { %s }\nspecification own { int(0..2) x; operation int(0..2) swap(int(0..2) w) { int(0..2) r = x; x = w; return r; } }\n' "$4" >"$out/freed.hm"
    expect "freed-$1" "$2" "$3" "$out/freed.hm"
}
swap='while (true) { Node *o = top; int(0..2) r = o->val; Node *n = new Node; n->val = w; if (cas(top, o, n)) { FREE return r; } }'
freed used 1 'touches a freed node' "${swap/FREE/free(o);}"
expect freed-not-proved 3 'may touch a node that is not allocated' --no-search "$out/freed.hm"
freed kept 0 'holds' "${swap/FREE/}"
freed atomic 0 'holds' 'Node *n = new Node; n->val = w; int(0..2) r; atomic { Node *o = top; r = o->val; top = n; free(o); } return r;'
# The same in the notation of operations, but where memory is said to be stable; reads that nothing needs count, too.
dangling() { # NAME STATUS PATTERN DECLARATION OPERATION
    printf '%s\nstruct node { int val; }\nglobal node top;\nglobal int seen;\ninit { node D; new D; top = D; }\nop Swap { node X, Y; int v; 1 a: <top == Y> new X; X.val = v; top = X; 1 b: free Y; }\n%s\nspec { int n; op Swap { int v; 1 n = v; } op Look { 1 } }\n' "$4" "$5" >"$out/dangling.hp"
    expect "dangling-$1" "$2" "$3" "$out/dangling.hp"
    [ "$2" = 0 ] || expect "dangling-$1-not-proved" 3 'may touch a node that is not allocated' --no-search "$out/dangling.hp"
}
look='op Look { node Y; int r; 1 c: <top == Y> 1 d: r = Y.val; }'
dangling last 1 'touches a freed node' '' "$look"
dangling end 1 'touches a freed node' '' 'op Look { node Y; int r; 1 e: seen = 1; 1 c: <top == Y> 1 d: r = Y.val; }'
dangling stable 0 'holds' 'stable;' "$look"
dangling once 0 'holds' '' 'op Look { node Y; int r; 1 c: <top == Y> r = Y.val; }'
dangling twice 1 'touches a freed node' '' 'op Look { node Y; 1 c: <top == Y> 1 d: free Y; }'
# Operands that are evaluated only when needed; NULL.
lazy() { # NAME STATUS PATTERN OPERATION RESULT-OF-THE-SPECIFICATION
    printf 'threads 2;\nstruct Node { int(0..2) v; } pool 3;\nNode *top;\noperation void set() { Node *n = new Node; n->v = 1; top = n; }\n%s\nspecification s { bool x; operation void set() { x = true; } operation int f() { %s } }\n' "$4" "$5" >"$out/lazy.hm"
    expect "lazy-$1" "$2" "$3" "$out/lazy.hm"
}
lazy and 1 'not linearizable' 'operation int f() { int b = 0; atomic { if (top != NULL && top->v == 1) b = 1; } return b; }' 'return 1;'
lazy or 1 'not linearizable' 'operation int f() { bool b; atomic { b = top == NULL || top->v == 0; } if (b) return 1; return 0; }' 'return 0;'
lazy or-right 0 'holds' 'operation int f() { bool b; atomic { b = top == NULL || top->v == 0; } if (b) return 1; return 0; }' 'if (x) return 0; return 1;'
lazy conditional 0 'holds' 'operation int f() { int b; atomic { b = top == NULL ? 2 : top->v; } return b; }' 'return x ? 1 : 2;'
lazy conditional-wrong 1 'not linearizable' 'operation int f() { int b; atomic { b = top == NULL ? 2 : top->v; } return b; }' 'return 1;'
lazy value 1 'not linearizable' 'operation int f() { bool b; atomic { b = (top == NULL || top->v == 0) == (top != NULL && top->v == 1); } if (b) return 1; return 0; }' 'return 1;'
lazy null 3 'f_1.1 of f_1 may touch a node' 'operation int f() { atomic { if (top->v == 0) return 0; } return 0; }' 'return 0;'
lazy null-later 3 'may touch a node' 'operation int f() { Node *t = top; int r = 0; if (t->v == 5) r = 1; return 0; }' 'return 0;'
lazy null-tested 0 'holds' 'operation int f() { Node *t = top; if (t == NULL) return 0; int r = t->v; return 0; }' 'return 0;'
# Truth values of the specification: what it returns, and what it keeps in a local.
truth() { # NAME STATUS PATTERN MARK GET
    printf 'threads 2;\nint x; bool y;\noperation void put(int(0..3) v) { x = v; }\noperation int mark() { bool b; atomic { b = x == 2; y = b; } return b ? 7 : 9; }\noperation bool get() { return y; }\noperation bool two() { return x == 2; }\nspecification s { int u; bool w; operation void put(int(0..3) v) { u = v; } operation int mark() { bool c = u == 2; w = c; return %s; } operation bool get() { return %s; } operation bool two() { return u == 2; } }\n' "$4" "$5" >"$out/truth.hm"
    expect "truth-$1" "$2" "$3" "$out/truth.hm"
}
truth kept 0 'holds' 'c ? 7 : 9' 'w == true'
truth wrong 1 'not linearizable' 'c ? 7 : 9' 'w == false'
truth lost 1 'not linearizable' 'c ? 9 : 7' 'w'
# Calls in operands, as textbooks write compare-and-swaps.
printf '#include <common.hm>\nthreads 2;\nint n;\noperation int more() { int v; do { v = n; } while (v < 0 || !cas(n, v, v + 1)); return v; }\noperation bool less() { while (true) { int v = n; if (v == 0) return false; if (v > 0 && cas(n, v, v - 1)) return true; } }\nspecification s { int n; operation int more() { n++; return n - 1; } operation bool less() { if (n == 0) return false; n--; return true; } }\n' >"$out/operands.hm"
expect operands 0 'holds' "$out/operands.hm"
sed 's/v > 0 &&/v > 1 ||/' "$out/operands.hm" >"$out/operands1.hm"
expect operands-wrong 1 'not linearizable' "$out/operands1.hm"
# Products, quotients and remainders by constants, as in C (the quotient of -7 by 3 is -2, and the remainder -1).
scaled() { # NAME STATUS PATTERN FIRST-VALUE STORED READ
    printf 'threads 2;\nint x = %s;\noperation void put(int(0..3) v) { x = %s; }\noperation int get() { int t = x; return %s; }\nspecification s { int v; operation void put(int(0..3) w) { v = w; } operation int get() { return v; } }\n' "$4" "$5" "$6" >"$out/scaled.hm"
    expect "scaled-$1" "$2" "$3" "$out/scaled.hm"
}
scaled quotient 0 'holds' 7 'v * 3 + 7' '(t - 7) / 3'
scaled negative 0 'holds' 0 '-3 * v' '-(t / 3)'
scaled remainder 0 'holds' 0 '8 * v' 't / 8 + t % 8'
scaled lost 1 'not linearizable' 0 'v * 2' 't % 4 / 2'
scaled toward-zero 1 'not linearizable' -7 'v * 3 - 7' '(t + 6) / 3'
scaled variable 2 'one side must be a small constant' 0 'v * v' 't'
printf 'global int x;\nop Put { int v; 1 a: x = 2 * v; }\nop Odd { int r; 1 b: <r == x %% 2> }\nspec { global int y; op Put { int v; 1 y = v; } op Odd { int r; 1 <r == 0> } }\n' >"$out/even.hp"
expect scaled-text 0 'holds' "$out/even.hp"
sed 's/<r == 0>/<r == y % 2>/' "$out/even.hp" >"$out/odd.hp"
expect scaled-text-wrong 1 'not linearizable' "$out/odd.hp"
# A lock that is taken by exchange is set by those, too, who do not get it: that changes nothing.
printf '#include <common.hm>\nthreads 3;\nenum State { FREE, HELD };\nState taken;\nint shared;\noperation int swap(int(0..3) v) { State s; do { exchange(taken, HELD, s); } while (s == HELD); int old = shared; shared = v; taken = FREE; return old; }\nspecification s { int x; operation int swap(int(0..3) v) { int o = x; x = v; return o; } }\n' >"$out/exchange.hm"
expect lock-by-exchange 0 'holds' "$out/exchange.hm"
sed 's/while (s == HELD)/while (s == FREE)/' "$out/exchange.hm" >"$out/wrong.hm"
expect lock-by-exchange-wrong 1 'not linearizable' "$out/wrong.hm"
# Limits of size are errors with a place.
{ printf 'threads 2;\nint x;\noperation int f() {\n'
  for i in 1 2 3 4 5 6 7 8; do printf 'int a%s = x; if (a%s == 1) x = 2;\n' $i $i; done
  printf 'return 0; }\nspecification s { operation int f() { return 0; } }\n'; } >"$out/ways.hm"
expect most-ways 2 'more than 200 ways through this operation' "$out/ways.hm"
{ printf 'threads 2;\nint x;\noperation int f() {\n'
  for i in {1..25}; do printf 'int a%s = x;\n' "$i"; done
  printf 'return a1; }\nspecification s { operation int f() { return 0; } }\n'; } >"$out/locals.hm"
expect most-locals 2 'more than 24 locals' "$out/locals.hm"
# Reads that nothing depends on must be of nodes, too: at the end of an operation, into an unused local, in a round that is left out.
read_of='Node *o = top; int(0..2) d = o->val;'
for where in "seen = true; $read_of" "$read_of seen = true;" "while (seen) { $read_of }"; do
    name=$(tr -cd 'a-z;' <<<"$where" | cut -c1-4)
    looks() { # STATUS PATTERN POOL PUT
        printf '#include <common.hm>\nthreads 2;\nstruct Node { int(0..2) val; } pool 4%s;\nNode *top;\nbool seen;\n%s\noperation void raise() { seen = true; }\noperation void look() { %s }\nspecification s { int x; operation void put() { x = 1; } operation void raise() { } operation void look() { } }\n' "$3" "$4" "$where" >"$out/looks.hm"
        expect "read-$name$3" "$1" "$2" --no-search "$out/looks.hm"
    }
    looks 3 'may touch a node that is not allocated' '' 'operation void put() { top = new Node; }'
    looks 3 'may touch a node that is not allocated' ' manual' 'init { top = new Node; } operation void put() { Node *n = new Node; atomic { Node *o = top; top = n; free(o); } }'
    looks 0 'holds' ' ' 'init { top = new Node; } operation void put() { top = new Node; }'
done
# What a proof of another program rests on: steps that nobody needs are left out, but none that writes or asserts; a lock that only
# says that somebody has it has a holder; a node that was taken out of a list is its taker's.
idle='Node *n = new Node; Node *o = top; int(0..2) d = o->val; n->val = 1; top = n;'
idle() { # NAME STATUS PATTERN OPERATION
    printf '#include <common.hm>\nthreads 2;\nstruct Node { int(0..2) val; } pool 4;\nNode *top;\nint y;\nbool flag;\ninit { top = new Node; }\noperation void set() { %s }\noperation int(0..2) get() { Node *o = top; int(0..2) v = o->val; return v; }\noperation void wave() { flag = !flag; }\nspecification s { int x; operation void set() { x = 1; } operation int(0..2) get() { return x; } operation void wave() { } }\n' "$4" >"$out/idle.hm"
    expect "idle-$1" "$2" "$3" --no-search "$out/idle.hm"
}
idle read 0 'without steps that only read and that nothing needs' "$idle"
if ! command -v python3 >/dev/null; then echo "skip idle-certified (no python3)"
elif "$heddle" prove --certify="$out/certificate" "$out/idle.hm" >"$out/stdout" 2>&1 && grep -q 'enlarged idle' "$out/certificate" &&
    python3 tools/check_certificate.py "$out/idle.hm" "$out/certificate" none >"$out/checked" 2>&1; then echo "ok idle-certified"
else echo "FAIL idle-certified: $(head -c 300 "$out/checked")"; fi
idle flag 0 'holds' "await(!flag); $idle"
idle write 3 'not reordered\|not proved' "await(!flag); top->val = 0; $idle"
idle assert 3 'assert' "$idle atomic { assert(y == 0 || !flag); } y = 1;"
idle null 3 'may touch a node' "Node *p = NULL; await(!flag); int(0..2) e = p->val; $idle"
printf 'threads 2;\nint cell[2];\noperation int clear() { int o = cell[1]; cell[1] = 0; return o; }\noperation int get() { return cell[1]; }\nspecification s { int x; operation int clear() { int o = x; x = 0; return o; } operation int get() { return x; } }\n' >"$out/cell.hm"
expect fixed-cell 0 'holds' "$out/cell.hm"
sed 's/return cell/cell[0] = 1; return cell/; s/cell\[1\] = 0/cell[1] = cell[0]/' "$out/cell.hm" >"$out/cell1.hm"
expect fixed-cell-wrong 1 'not linearizable' "$out/cell1.hm"
locked='atomic { await(!lk); lk = true; } Node *n = new Node; Node *o = top; int(0..2) r = o->val; n->val = w; top = n;'
freed holder 0 'holds' "$locked lk = false; free(o); return r;"
freed holder-inside 0 'holds' "$locked free(o); lk = false; return r;"
freed holder-early 1 'touches a freed node' "${locked/n->val/lk = false; n->val} free(o); return r;"
freed holder-none 1 'touches a freed node' "${locked/lk = true;/} lk = false; free(o); return r;"
printf 'struct node { int val; }\nnode top;\nint lk;\ninit { node D; new D; top = D; }\nWrite()\n node X; node Y; int v;\n 1 a: <lk == 0> lk = 1;\n 1 b: new X;\n 1 c: X.val = v;\n 1 d: <top == Y> top = X;\n 1 e: free Y;\n 1 f: lk = 0;\nRead()\n node Y; int r;\n 1 g: <lk == 0> lk = 1;\n 1 h: <top == Y> r = Y.val;\n 1 i: lk = 0;\nspec { int abs; Write() int v; 1 abs = v; Read() int r; 1 <abs == r> }\n' >"$out/holder.hp"
expect holder-text 0 'holds' "$out/holder.hp"
sed 's/1 g: <lk == 0> lk = 1;/1 g: /; s/<top == Y> r = Y.val;/<top == Y>\n 1 j: r = Y.val;/; s/1 i: lk = 0;//' "$out/holder.hp" >"$out/holder1.hp"
expect holder-text-none 3 'not proved\|not reordered' --no-search "$out/holder1.hp"
# A sequence lock: its version is even while nobody writes.
printf '#include <common.hm>\nthreads 2;\nint seq, a, b;\nMutex m;\noperation void write(int(0..3) x, int(0..3) y) { lock(m); seq = seq + 1; a = x; b = y; seq = seq + 1; unlock(m); }\noperation int read() { while (true) { int s = seq; if (s %% 2 == 1) continue; int x = a; int y = b; if (seq == s) return 4 * x + y; } }\nspecification p { int x; int y; operation void write(int(0..3) u, int(0..3) v) { x = u; y = v; } operation int read() { return 4 * x + y; } }\n' >"$out/seqlock.hm"
expect seqlock 0 'holds' "$out/seqlock.hm"
sed 's/int s = seq; if (s % 2 == 1) continue;/int s = seq;/' "$out/seqlock.hm" >"$out/seqlock1.hm"
expect seqlock-odd 1 'not linearizable' "$out/seqlock1.hm"
sed 's/a = x; b = y; seq = seq + 1;/a = x; seq = seq + 1; b = y;/' "$out/seqlock.hm" >"$out/seqlock2.hm"
expect seqlock-early 1 'not linearizable' "$out/seqlock2.hm"
# A ring under a lock, with what relates it to its specification; parentheses hold formulas or expressions.
ring() { # NAME STATUS PATTERN SIZE REFINEMENT
    printf '#include <common.hm>\ndata Value;\nthreads 2;\nValue buffer[%s];\nint first, count;\nMutex m;\noperation bool put(Value v) { lock(m); if (count == %s) { unlock(m); return false; } buffer[(first + count) %% %s] = v; count++; unlock(m); return true; }\noperation Value get() { lock(m); if (count == 0) { unlock(m); return none; } Value v = buffer[first]; first = (first + 1) %% %s; count--; unlock(m); return v; }\nspecification s { Value item[100]; int from, to; operation bool put(Value v) { if (to - from == %s) return false; item[to] = v; to++; return true; } operation Value get() { if (from == to) return none; Value v = item[from]; from++; return v; } }\n%s\n' "$4" "$4" "$4" "$4" "$4" "$5" >"$out/ring.hm"
    expect "ring-$1" "$2" "$3" "$out/ring.hm"
}
for size in 2 4 9; do
    ring "given$size" 0 'holds' $size "refinement { m == 0 => count == spec.to - spec.from; 0 <= first; first < $size; 0 <= count; count <= $size; forall int n: (m == 0 && spec.from <= n) && n < (spec.to) => spec.item[n] == buffer[(first + n - spec.from) % $size]; }"
done
ring early 3 'the fact count == spec.to - spec.from does not hold: put_' 4 "refinement { count == spec.to - spec.from; }"
# A ring with one producer and one consumer, as textbooks have it: its positions only grow.
lamport() { # NAME STATUS PATTERN FULL PUT
    printf 'data Value;\nValue buffer[4];\nint head, tail;\nthreads 1: put;\nthreads 1: get;\noperation bool put(Value v) { int t = tail; int h = head; if (t - h == %s) return false; %s return true; }\noperation Value get() { int h = head; int t = tail; if (h == t) return none; Value v = buffer[h %% 4]; head = h + 1; return v; }\nspecification s { Value q[9]; int lo, hi; operation bool put(Value v) { if (hi - lo == 4) return false; q[hi] = v; hi++; return true; } operation Value get() { if (lo == hi) return none; Value v = q[lo]; lo++; return v; } }\n' "$4" "$5" >"$out/lamport.hm"
    expect "lamport-$1" "$2" "$3" "$out/lamport.hm"
}
lamport right 0 'holds' 4 'buffer[t % 4] = v; tail = t + 1;'
lamport full-late 1 'not linearizable' 5 'buffer[t % 4] = v; tail = t + 1;'
lamport early 1 'not linearizable' 4 'tail = t + 1; buffer[t % 4] = v;'
# Random texts against an enumeration and against refine (all kinds of places, freed nodes, names that collide).
texts=${HEDDLE_SYSTEMS:-12}; [ "${HEDDLE_NIGHTLY:-}" = 1 ] && texts=${HEDDLE_SYSTEMS:-2000}
for kind in hp hm wide; do
    if ! command -v python3 >/dev/null; then echo "skip random-texts-$kind (no python3)"; continue; fi
    if SECONDS_EACH=2 python3 tests/helpers/prove_texts.py "$heddle" "$texts" 1 $kind >"$out/texts" 2>&1; then echo "ok random-texts-$kind"
    else echo "FAIL random-texts-$kind"; head -n 5 "$out/texts"; fi
done
# One text in both notations.
pairs=6; [ "${HEDDLE_NIGHTLY:-}" = 1 ] && pairs=${HEDDLE_SYSTEMS:-2000}
if ! command -v python3 >/dev/null; then echo "skip notations (no python3)"
elif python3 tests/helpers/prove_notations.py "$heddle" "$pairs" 1 >"$out/notations" 2>&1; then echo "ok notations: $(tail -n 1 "$out/notations")"
else echo "FAIL notations"; head -n 5 "$out/notations"; fi
# A ghost that names its owner is no trace of a thread.
freed own-trace 0 'holds' 'Node *n; Node *o; int(0..2) r; atomic { n = new Node; } atomic { n->val = w; } atomic { o = top; r = o->val; top = n; } atomic { free(o); } return r;'
# Mutants of proved texts: none is proved but those that are linearizable, as an enumeration of their executions says.
mutants=10 seconds=2; [ "${HEDDLE_NIGHTLY:-}" = 1 ] && mutants=200 seconds=60
# shellcheck disable=SC2046
if ! command -v python3 >/dev/null; then echo "skip mutants (no python3)"
elif (cd corpus/prove && python3 "$here/tests/helpers/prove_mutants.py" "$heddle" $mutants 1 $seconds $(grep -o '^"prove [a-z_/0-9]*\.hp",holds' expected.csv |
    sed 's/"prove //;s/".*//')) >"$out/mutants" 2>&1; then echo "ok mutants: $(tail -n 1 "$out/mutants")"
else echo "FAIL mutants"; head -n 5 "$out/mutants"; fi

# The proof as a page.
expect html 0 'holds' --html="$out/page.html" corpus/prove/ts_stack.hp
if grep -q '<td class="swap"' "$out/page.html" && grep -q 'another element may have the same rank' "$out/page.html" &&
    [ "$(grep -c '<table>' "$out/page.html")" = "$(grep -c '</table>' "$out/page.html")" ] &&
    ! grep -q '<live' "$out/page.html"; then echo "ok html-page"; else echo "FAIL html-page"; fi
expect html-nowhere 2 "can't write" --html="$out/none/page.html" corpus/prove/snapshot.hp

# Figure 5, as printed.
expect figure5 0 'd ≀ f   \[if head != tail\]' --explain corpus/prove/ms_queue.hp
expect figure5-signs 0 '¬d ≀ d   // after d, d is impossible: Z.next == NULL' --explain corpus/prove/ms_queue.hp
expect figure5-exchange 0 'f ⊖ e' --explain corpus/prove/ms_queue.hp
# Labels that two operations have are told apart; what is proved is not said to be open.
cat >"$out/labels.hp" <<'END'
global int x;
op A { int v; 1 a: <x == v> 1 b: x = 1; }
op B { 1 a: x = 2; }
END
expect explain-labels 3 'A.a ≀ B.a' --explain --no-search "$out/labels.hp"
"$heddle" prove $figures/figure4.hp >"$out/figure4" 2>&1
if grep -q 'holds: linearizable' "$out/figure4" && ! grep -q 'may still be' "$out/figure4"; then echo "ok proved-and-open"
else echo "FAIL proved-and-open: $(head -c 300 "$out/figure4")"; fi

# Figure 5 as input: its relations are shown and prove the queue; wrong ones are refused; fewer do not suffice.
relations=$figures/figure5.relations
expect relations 0 'relations: the 18 of .* are shown' --relations=$relations corpus/prove/ms_queue_paper.hp
expect relations-certified 2 'no certificates of proofs by relations' --relations=$relations --certify="$out/relations" corpus/prove/ms_queue_paper.hp
sed '/⊖/d' $relations >"$out/fewer"
expect relations-too-few 3 'not proved: Algorithm 1 on the relations of .*: Enqueue up to d, then Dequeue_nonempty up to f' --no-search --relations="$out/fewer" corpus/prove/ms_queue_paper.hp
printf 'd then f\nnot d <-> f\nf <-> e\nnot f then h\n' >"$out/wrong"
expect relations-wrong-order 2 'wrong:4:1: h may follow f' --relations="$out/wrong" corpus/prove/ms_queue_paper.hp
printf 'd <-> e\ne <-> d\n' >"$out/wrong"
expect relations-wrong-boundary 2 'wrong:2:1: e, d is a boundary case' --relations="$out/wrong" corpus/prove/ms_queue_paper.hp
printf 'd then f [if Q.head == Q.tail]\n' >"$out/wrong"
expect relations-wrong-condition 2 'wrong:1:1: f can follow d in other states too' --relations="$out/wrong" corpus/prove/ms_queue_paper.hp
printf 'global int x;\nop A { 1 a: x = 1; 1 b: x = 2; }\n' >"$out/race.hp"
printf 'a <-> b\n' >"$out/wrong"
expect relations-wrong-exchange 2 "wrong:1:1: a, b can't always be exchanged: the other order ends in another state" --relations="$out/wrong" "$out/race.hp"
printf 'd then\n' >"$out/wrong"
expect relations-unreadable 2 "wrong:2:1: expected the label of a step" --relations="$out/wrong" corpus/prove/ms_queue_paper.hp
printf 'd then z\n' >"$out/wrong"
expect relations-no-step 2 "wrong:1:8: there is no step 'z'" --relations="$out/wrong" corpus/prove/ms_queue_paper.hp
expect relations-of-ranks 2 'not one by ranks' --relations=$relations corpus/prove/ts_stack.hp
expect explain-proof 0 'only weakened reads' --explain corpus/prove/treiber.hp

# Models: a round of a loop that publishes a node keeps its later writes, as an internal operation.
cat >"$out/round.hm" <<'END'
#include <common.hm>
data Value;
threads 2;
struct Node { Value value; int(0..3) count; } pool 8;
Node *top;
int(0..1) stop;
operation void put(Value v)
{
    Node *n = new Node;
    n->value = v;
    while (true) {
        if (stop == 1)
            return;
        top = n;
        n->count = 1;
    }
}
END
expect model-round 3 'put_round.*n.count = 1;' --explain --no-search "$out/round.hm"
# What a loop forgets of its earlier rounds makes no violation of the model, but its own executions do.
cat >"$out/forgets.hm" <<'END'
threads 2;
param LEAST = 1;
int x;
operation int once()
{
    int s = 0;
    while (s < LEAST)
        s = s + 1;
    x = s;
    return s;
}
specification one { operation int once() { return 1; } }
END
expect model-forgets 3 'not proved: a loop stands for its last round' "$out/forgets.hm"
expect model-forgets-wrong 1 'a real violation' -DLEAST=0 "$out/forgets.hm"
# `self' is the thread, in the program and in its specification: a lock that its holder releases is no violation.
expect model-self 3 'given: what a finished operation leaves of its thread' corpus/refine/locks.hm
expect model-self-wrong 1 'a real violation' -DKIND=2 corpus/refine/locks.hm
expect model-unsupported 2 'the prover does not know' corpus/refine/segmented_queue.hm
printf 'operation void f() { x = 1; }\n' >"$out/bad.hm"
expect model-error 2 'bad.hm:1' "$out/bad.hm"

# Certificates: the checker makes the questions from the text, compares, and each solver that is there answers all of them:
# by night about all proved texts, by day about a few.
checker=$here/tools/check_certificate.py
certificate() { # FILE SOLVER...
    local name=$1; shift
    "$heddle" prove --certify="$out/certificate" "corpus/prove/$name" >"$out/stdout" 2>&1
    if python3 "$checker" "corpus/prove/$name" "$out/certificate" "$@" >"$out/checked" 2>&1; then
        echo "ok certify $name: $(cat "$out/checked")"
    else echo "FAIL certify $name: $(head -c 300 "$out/checked")"; fi
}
if ! command -v python3 >/dev/null; then echo "skip certify (no python3)"
else
    solvers=$(python3 "$checker" --solvers)
    [ -n "$solvers" ] || solvers=none
    while IFS= read -r name; do
        case $name in
        treiber.hp|snapshot.hp|figures/figure7.hp|treiber.hm) ask=$solvers ;; # what follows are programs of other kinds
        ms_queue_paper.hp|figures/figure4.hp|ms_queue_free.hp|herlihy_wing_queue.hp|elimination.hp|ms_queue.hm) ask=none ;;
        *) ask= ;;
        esac
        [ "${HEDDLE_NIGHTLY:-}" = 1 ] && ask=$solvers
        # shellcheck disable=SC2086
        [ -z "$ask" ] || certificate "$name" $ask
    done < <(grep -o '^"prove [a-z_/0-9]*\.h[pm]",holds' corpus/prove/expected.csv | sed 's/"prove //; s/".*//')
    if [ "${solvers#*z3}" != "$solvers" ]; then
        for name in treiber.hp treiber.hm figures/figure4.hp; do
            [ $name = treiber.hp ] || [ "${HEDDLE_NIGHTLY:-}" = 1 ] || continue
            "$heddle" prove --certify="$out/certificate" "corpus/prove/$name" >"$out/stdout" 2>&1
            if python3 tests/helpers/prove_corrupt.py "$checker" z3 "corpus/prove/$name" "$out/certificate" >"$out/checked" 2>&1
            then echo "ok corrupted certificates $name: $(tail -n 1 "$out/checked")"
            else echo "FAIL corrupted certificates $name: $(head -n 3 "$out/checked")"; fi
        done
    else echo "skip corrupted certificates (no z3)"; fi
fi
expect certify-own 0 "shown twice, by the tool's own procedure alone" --certify="$out/certificate" corpus/prove/treiber.hp
expect certify-nowhere 2 "can't write" --certify="$out/none/there" corpus/prove/snapshot.hp
