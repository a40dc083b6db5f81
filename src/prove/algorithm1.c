/* Soundness (Section VII of the paper, with the closure that its proof uses). Let a valid history
 * be turned into a sequence of prefixes, and let step S be appended whose operation's prefix P
 * stands somewhere in it. Move P right while it is reversible with its successor. Then P is
 * followed by Z1 that it is not reversible with; if Z1 is reversible with its successor, move Z1
 * right, and so on, until P is followed by Z1 ... Zm with neither P, Z1 nor any Zi, Zi+1
 * reversible, and then S. So the closure of P must contain every w with P ? w and NOT P - w, and
 * for each z in it every w with z ? w and NOT z - w, to a fixpoint: with it, each Zi that can stand
 * before S is reversible with S, and S moves left to P. The printed line 31 asks for "z - w"
 * instead, which omits exactly the chains that matter: tests/unit/prove_algorithm1.c shows systems
 * it accepts wrongly.
 *
 * Prefix relations from pairs. From x.y with x = a1..am, y = b1..bk, the histories reachable by
 * exchanging adjacent reversible pairs are the staircases: sets of exchanged pairs (i, j), closed
 * under
 * "(i', j) with i' > i and (i, j') with j' < j come first". Such a set is reachable iff all its
 * pairs are reversible, so the largest is M below, and a pair is adjacent in some reachable history
 * iff the pairs before it are in M. Hence Definition 5 needs: ai ? bj for every pair whose
 * predecessors are in M, and bj ? ai for every pair in M; and x.y = y.x iff every pair is
 * reversible. This replaces a search over interleavings by a table; the test compares the two. */
#include "prove/algorithm1.h"
#include "base/vec.h"

Relations relations_new(Arena *arena, int operations, const int *lengths)
{
    Relations relations = {.operations = operations};
    int *own = arena_array_of(arena, int, (size_t)operations + 1);
    int *firsts = arena_array_of(arena, int, (size_t)operations + 1);
    for (int i = 0; i < operations; i++) {
        own[i] = lengths[i];
        firsts[i] = relations.count;
        relations.count += lengths[i];
    }
    relations.lengths = own;
    relations.firsts = firsts;
    size_t pairs = (size_t)relations.count * (size_t)relations.count;
    relations.orderable = arena_array_of(arena, bool, pairs + 1);
    relations.reversible = arena_array_of(arena, bool, pairs + 1);
    return relations;
}

void relations_finish(Relations *relations)
{
    for (int i = 0; i < relations->operations; i++)
        for (int k = 0; k < relations->operations; k++) {
            int last = relations->firsts[i] + relations->lengths[i] - 1;
            relations->reversible[last * relations->count + relations->firsts[k]] = false;
        }
}

static bool relations_get(const Relations *relations, const bool *which, int a, int b)
{
    return which[a * relations->count + b];
}

bool algorithm1_orderable(const Relations *relations, int a, int m, int b, int k)
{
    /* exchanged[j]: is (i, j) in M, for the current i; i runs downwards, j upwards. */
    bool below[64], row[64];
    ASSERT(k <= 64);
    for (int j = 0; j < k; j++)
        below[j] = true;
    for (int i = m - 1; i >= 0; i--) {
        for (int j = 0; j < k; j++) {
            bool reachable = below[j] && (j == 0 || row[j - 1]);
            if (reachable && !relations_get(relations, relations->orderable, a + i, b + j))
                return false;
            row[j] = reachable && relations_get(relations, relations->reversible, a + i, b + j);
            if (row[j] && !relations_get(relations, relations->orderable, b + j, a + i))
                return false;
        }
        for (int j = 0; j < k; j++)
            below[j] = row[j];
    }
    return true;
}

bool algorithm1_reversible(const Relations *relations, int a, int m, int b, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++)
            if (!relations_get(relations, relations->reversible, a + i, b + j))
                return false;
    return algorithm1_orderable(relations, a, m, b, k);
}

typedef struct Prefix {
    int operation, length;
} Prefix;

typedef struct Member {
    Prefix prefix;
    int via; /* index into the closure, -1 */
} Member;
typedef Vec(Member) Members;

static void algorithm1_extend(const Relations *relations, Prefix from, int via, ClosureRule rule,
                              Members *closure)
{
    for (int op = 0; op < relations->operations; op++)
        for (int length = 1; length <= relations->lengths[op]; length++) {
            bool known = false;
            for (size_t i = 0; i < closure->count && !known; i++)
                known =
                    closure->at[i].prefix.operation == op && closure->at[i].prefix.length == length;
            if (known)
                continue;
            int a = relations->firsts[from.operation], b = relations->firsts[op];
            if (!algorithm1_orderable(relations, a, from.length, b, length))
                continue;
            bool complete = from.length == relations->lengths[from.operation];
            bool reversible =
                !complete && algorithm1_reversible(relations, a, from.length, b, length);
            bool wanted = rule == CLOSURE_PRINTED && via >= 0 ? reversible : !reversible;
            if (wanted)
                vec_push(closure, (Member){{op, length}, via});
        }
}

static bool algorithm1_prefix(const Relations *relations, Prefix x, ClosureRule rule,
                              Algorithm1Failure *failure)
{
    Members closure = {0};
    bool good = true;
    algorithm1_extend(relations, x, -1, rule, &closure);
    for (size_t i = 0; i < closure.count; i++)
        algorithm1_extend(relations, closure.at[i].prefix, (int)i, rule, &closure);
    int next = relations->firsts[x.operation] + x.length;
    for (size_t i = 0; i < closure.count && good; i++) {
        Prefix y = closure.at[i].prefix;
        int first = relations->firsts[y.operation];
        if (!algorithm1_orderable(relations, first, y.length, next, 1) ||
            algorithm1_reversible(relations, first, y.length, next, 1))
            continue;
        good = false;
        if (failure) {
            int via = closure.at[i].via;
            *failure = (Algorithm1Failure){x.operation,
                                           x.length,
                                           y.operation,
                                           y.length,
                                           via < 0 ? -1 : closure.at[via].prefix.operation,
                                           via < 0 ? 0 : closure.at[via].prefix.length};
        }
    }
    vec_free(&closure);
    return good;
}

bool algorithm1_check(const Relations *relations, ClosureRule rule, Algorithm1Failure *failure)
{
    for (int op = 0; op < relations->operations; op++)
        for (int length = 1; length < relations->lengths[op]; length++)
            if (!algorithm1_prefix(relations, (Prefix){op, length}, rule, failure))
                return false;
    return true;
}
