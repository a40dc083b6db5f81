/* rc11.c: RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017). Coherence (but for one case in
 * blocks, reads_too_low), atomicity and the absence of porf cycles hold by construction; what is
 * left is that psc is acyclic:
 *   scb  = po U po-other-location;hb;po-other-location U hb-same-location U co U fr
 *   psc  = ([SC] U [SC fence];hb?) ; scb ; ([SC] U hb?;[SC fence])
 *          U [SC fence];(hb U hb;eco;hb);[SC fence]
 * Three tiers, cheapest first:
 *   1. no cycle in po U rf U co U fr through the new event: psc, a subrelation of its closure, has
 *      none either: consistent (sc.c).
 *   2. a cycle that touches only seq_cst accesses: each step is in psc: inconsistent.
 *   3. otherwise the search of psc.c.
 * psc as it stands, with bit matrices, judges the third tier in tests (matrices.c). In a program of
 * seq_cst accesses alone the first tier decides. */
#include "guest/explore/graph/models/client.h"
#include "guest/explore/graph/models/missing.h"

/* Tier 2: everything later in a thread is after an event, and only seq_cst accesses are passed.
 * What lies between them by creation and join is po-other;hb;po-other. */
#define SEARCH_LEVELS 1
#define search_passes(e) model_is_sc(e)
#define search_waits(r, e) false
#include "guest/explore/graph/models/search.h"

static bool cycle_of_sc_accesses(const Event *e, const Event *r)
{
    return model_is_sc(e) && search_cycle(e, r && model_is_sc(r) ? r : NULL);
}

bool model_checks_psc;

static bool judge(const Event *e, const Event *r, bool consistent)
{
    bool by_search = !model_psc_cycle(e) && !(r && model_psc_cycle(r));
    bool by_matrices = !model_psc_is_cyclic();
    if (by_search != consistent || by_matrices != consistent)
        die("internal error: psc is %d, by its search %d, by matrices %d", consistent, by_search,
            by_matrices);
    return consistent;
}

/* Coherence of the bytes of a block. A read that synchronises with a write of some of its bytes may
 * learn of accesses to the others that stand above what it reads: its bounds were those from
 * before. Where accesses have one size this can't be, as such accesses stand below the write. */
static bool reads_too_low(const Event *e)
{
    if (e->kind != EVENT_READ || e->merge)
        return false;
    return rf_position(e) < graph_lower_bound(&locations[e->location], &e->hb, e);
}

/* acyclic(psc), and coherence in blocks */
bool model_rc11_consistent(Event *e, Event *r)
{
    if (UNLIKELY(facts_met[FACT_blocks]) && reads_too_low(r ? r : e))
        return false;
    bool consistent = true;
    if (graphs.any_sc && !model_sc_consistent(e, r))
        consistent = graphs.any_not_sc && !cycle_of_sc_accesses(e, r) && !model_psc_cycle(e) &&
                     !(r && model_psc_cycle(r));
    if (UNLIKELY(facts_met[FACT_blocks]) && !consistent && graphs.any_not_sc)
        missing_note();
    return UNLIKELY(model_checks_psc) ? judge(e, r, consistent) : consistent;
}
