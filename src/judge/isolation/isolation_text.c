/* Transactions are called T1, T2, ... in the order of their calls. */
#include "judge/isolation/isolation.h"
#include <string.h>

#define EDGE_ELEMENTS 6 /* of a list, where an edge is explained */

static void print_value(const Isolation *i, Value value, Buffer *out)
{
    value_print(i->txns.plan->history->values, value, out);
}

static void print_key(const Isolation *i, uint32_t key, Buffer *out)
{
    print_value(i, i->txns.keys.at[key].name, out);
}

void isolation_print_name(const IsolationAnomaly *a, Buffer *out)
{
    buffer_printf(out, "%s%s", anomaly_word(a->anomaly),
                  a->through == DEPENDS_TIME      ? "-realtime"
                  : a->through == DEPENDS_PROCESS ? "-process"
                                                  : "");
}

/* "appended 3 to x" or "wrote 3 to x" */
static void print_write(const Isolation *i, uint32_t write, Buffer *out)
{
    const TxnWrite *w = &i->txns.writes.at[write];
    buffer_printf(out, "T%u %s ", (unsigned)w->txn + 1,
                  i->txns.keys.at[w->key].list ? "appended" : "wrote");
    print_value(i, w->value, out);
    buffer_printf(out, " to ");
    print_key(i, w->key, out);
}

/* A write of the key by the transaction: the last, or of a list the first behind AFTER elements. */
static uint32_t find_write(const Isolation *i, uint32_t txn, uint32_t key, uint32_t after)
{
    const Txn *t = &i->txns.txns.at[txn];
    uint32_t found = TXN_NONE;
    for (uint32_t s = t->first; s < t->first + t->count; s++) {
        const TxnStep *step = &i->txns.steps.at[s];
        if (step->kind == TXN_READ || step->key != key)
            continue;
        const TxnWrite *w = &i->txns.writes.at[step->write];
        if (!i->txns.keys.at[key].list || !w->place)
            found = step->write;
        else if (w->place > after && (found == TXN_NONE || !i->txns.writes.at[found].place ||
                                      w->place < i->txns.writes.at[found].place))
            found = step->write;
    }
    return found;
}

static void print_ww(const Isolation *i, const CycleEdge *e, Buffer *out)
{
    const TxnKey *key = &i->txns.keys.at[e->key];
    const Txn *to = &i->txns.txns.at[e->to];
    if (!key->list) {
        for (uint32_t s = to->first; s < to->first + to->count && !e->choice; s++) {
            uint32_t source = i->versions.reads.at[s].source;
            if (i->txns.steps.at[s].kind != TXN_READ || i->txns.steps.at[s].key != e->key ||
                source >= VERSION_UNKNOWN || i->txns.writes.at[source].txn != e->from)
                continue;
            print_write(i, source, out);
            buffer_printf(out, "; T%u read that and then wrote ", (unsigned)e->to + 1);
            uint32_t write = find_write(i, e->to, e->key, 0);
            if (write != TXN_NONE)
                print_value(i, i->txns.writes.at[write].value, out);
            return;
        }
        print_write(i, find_write(i, e->from, e->key, 0), out);
        buffer_printf(out, ", and then ");
        print_write(i, find_write(i, e->to, e->key, 0), out);
        return;
    }
    const VersionOrder *order = &i->versions.orders.at[e->key];
    for (uint32_t p = 0; p + 1 < order->count; p++) {
        uint32_t a = i->versions.chain.at[order->first + p];
        uint32_t b = i->versions.chain.at[order->first + p + 1];
        if (i->txns.writes.at[a].txn != e->from || i->txns.writes.at[b].txn != e->to)
            continue;
        print_write(i, a, out);
        buffer_printf(out, ", directly before ");
        print_write(i, b, out);
        return;
    }
    print_write(i, find_write(i, e->from, e->key, 0), out);
    buffer_printf(out, "; no read shows that ");
    print_write(i, find_write(i, e->to, e->key, order->count), out);
    buffer_printf(out, ", so it comes later");
}

/* MOST: of a longer list its last elements; the transaction shows it whole. */
static void print_read(const Isolation *i, uint32_t txn, uint32_t step, size_t most, Buffer *out)
{
    Value value = i->txns.steps.at[step].value;
    size_t count = 0;
    const Value *items = NULL;
    if (value_kind(i->txns.plan->history->values, value) == VALUE_IS_ARRAY)
        items = value_items(i->txns.plan->history->values, value, &count);
    buffer_printf(out, "T%u read ", (unsigned)txn + 1);
    print_key(i, i->txns.steps.at[step].key, out);
    buffer_printf(out, " as ");
    if (count <= most) {
        print_value(i, value, out);
        return;
    }
    buffer_printf(out, "[...");
    for (size_t k = count - most; k < count; k++) {
        buffer_printf(out, ", ");
        print_value(i, items[k], out);
    }
    buffer_printf(out, "]");
}

static void print_wr(const Isolation *i, const CycleEdge *e, Buffer *out)
{
    const Txn *to = &i->txns.txns.at[e->to];
    for (uint32_t s = to->first; s < to->first + to->count; s++) {
        uint32_t source = i->versions.reads.at[s].source;
        if (i->txns.steps.at[s].kind != TXN_READ || i->txns.steps.at[s].key != e->key ||
            source >= VERSION_UNKNOWN || i->txns.writes.at[source].txn != e->from)
            continue;
        print_write(i, source, out);
        buffer_printf(out, ", and ");
        print_read(i, e->to, s, EDGE_ELEMENTS, out);
        return;
    }
}

static void print_rw(const Isolation *i, const CycleEdge *e, Buffer *out)
{
    const Txn *from = &i->txns.txns.at[e->from];
    bool list = i->txns.keys.at[e->key].list;
    uint32_t best = TXN_NONE, write = TXN_NONE;
    for (uint32_t s = from->first; s < from->first + from->count; s++) {
        const VersionRead *read = &i->versions.reads.at[s];
        if (i->txns.steps.at[s].kind != TXN_READ || i->txns.steps.at[s].key != e->key ||
            read->own || read->source == VERSION_OWN || read->source == VERSION_UNKNOWN)
            continue;
        uint32_t next = find_write(i, e->to, e->key, read->length);
        if (next == TXN_NONE)
            continue;
        uint32_t place = i->txns.writes.at[next].place;
        if (best == TXN_NONE || (list && place == read->length + 1)) {
            best = s;
            write = next;
        }
    }
    if (best == TXN_NONE)
        return;
    print_read(i, e->from, best, EDGE_ELEMENTS, out);
    buffer_printf(out, ", and ");
    print_write(i, write, out);
    buffer_printf(out, " after that");
}

void isolation_print_edge(const Isolation *i, const CycleEdge *e, Buffer *out)
{
    const char *supposed = e->choice ? "supposed that " : "";
    switch (e->kind) {
    case DEPENDS_WW:
        buffer_printf(out, "%s", supposed);
        print_ww(i, e, out);
        break;
    case DEPENDS_WR:
        print_wr(i, e, out);
        break;
    case DEPENDS_RW:
        buffer_printf(out, "%s", supposed);
        print_rw(i, e, out);
        break;
    case DEPENDS_OTV:
        buffer_printf(out, "of ");
        print_key(i, e->key, out);
        buffer_printf(out, " an older version was read than one that had to be seen");
        break;
    case DEPENDS_PROCESS:
        buffer_printf(out, "T%u comes after T%u in their process", (unsigned)e->to + 1,
                      (unsigned)e->from + 1);
        break;
    default:
        buffer_printf(out, "T%u had returned before T%u was called", (unsigned)e->from + 1,
                      (unsigned)e->to + 1);
    }
}

void isolation_print_found(const Isolation *i, const IsolationAnomaly *a, Buffer *out)
{
    if (a->reader == TXN_NONE || a->step == TXN_NONE)
        return;
    print_read(i, a->reader, a->step, SIZE_MAX, out);
    if (a->other == TXN_NONE)
        return;
    unsigned other = (unsigned)a->other + 1;
    switch (a->anomaly) {
    case ANOMALY_LOST_UPDATE:
        buffer_printf(out, ", as did T%u, and both then wrote", other);
        break;
    case ANOMALY_INCOMPATIBLE:
        buffer_printf(out, ", against what T%u read", other);
        break;
    case ANOMALY_G1B:
        buffer_printf(out, ", which T%u then wrote over", other);
        break;
    default:
        buffer_printf(out, ", written by T%u, which was aborted", other);
    }
}

static void print_transaction(const Isolation *i, uint32_t txn, Buffer *out)
{
    const Operation *op = transactions_operation(&i->txns, txn);
    buffer_printf(out, "    T%-5u line %-6u process ", (unsigned)txn + 1, (unsigned)op->line);
    print_value(i, i->txns.plan->history->processes.at[op->process], out);
    buffer_printf(out, "  ");
    transactions_print(&i->txns, txn, out);
    buffer_printf(out, "\n");
}

const char *isolation_kind_word(unsigned kind)
{
    return kind == DEPENDS_WW        ? "ww"
           : kind == DEPENDS_WR      ? "wr"
           : kind == DEPENDS_RW      ? "rw"
           : kind == DEPENDS_PROCESS ? "process"
           : kind == DEPENDS_OTV     ? "observed"
                                     : "real time";
}

static void print_anomaly(const Isolation *i, const IsolationAnomaly *a, Buffer *out)
{
    buffer_printf(out, "  ");
    isolation_print_name(a, out);
    buffer_printf(out, ": %s", anomaly_what(a->anomaly));
    if (a->also != ANOMALY_COUNT)
        buffer_printf(out, " (%s: %s)", anomaly_word(a->also), anomaly_what(a->also));
    if (a->count > 1 && !a->supposed)
        buffer_printf(out, a->anomaly == ANOMALY_NO_ORDER ? " (these %zu)" : " (%zu times)",
                      a->count);
    buffer_printf(out, "\n");
    for (size_t e = 0; e < a->cycle.count; e++)
        print_transaction(i, a->cycle.at[e].from, out);
    for (size_t e = 0; e < a->cycle.count; e++) {
        const CycleEdge *edge = &a->cycle.at[e];
        buffer_printf(out, "      T%u -> T%u  %s: ", (unsigned)edge->from + 1,
                      (unsigned)edge->to + 1, isolation_kind_word(edge->kind));
        isolation_print_edge(i, edge, out);
        buffer_printf(out, "\n");
    }
    if (a->cycle.count || a->reader == TXN_NONE)
        return;
    print_transaction(i, a->reader, out);
    if (a->other != TXN_NONE && a->other != a->reader)
        print_transaction(i, a->other, out);
    buffer_printf(out, "      ");
    isolation_print_found(i, a, out);
    buffer_printf(out, "\n");
}

static void print_levels(const Isolation *i, Buffer *out)
{
    unsigned strongest = isolation_strongest(i);
    const char *comma = "";
    buffer_printf(out, "  Strongest: ");
    for (Level l = 0; l < LEVEL_COUNT; l++)
        if (strongest >> l & 1) {
            buffer_printf(out, "%s%s", comma, level_rules[l].word);
            comma = ", ";
        }
    buffer_printf(out, "%s\n", strongest ? "" : "none");
    static const char *const titles[] = {
        [VERDICT_VIOLATED] = "Ruled out", [VERDICT_INCONCLUSIVE] = "Not decided"};
    for (Verdict v = VERDICT_VIOLATED; v <= VERDICT_INCONCLUSIVE; v++) {
        comma = NULL;
        for (Level l = 0; l < LEVEL_COUNT; l++)
            if (i->verdicts[l] == v) {
                if (comma)
                    buffer_printf(out, ", %s", level_rules[l].word);
                else
                    buffer_printf(out, "  %s: %s", titles[v], level_rules[l].word);
                comma = ", ";
            }
        if (comma)
            buffer_printf(out, "\n");
    }
}

void isolation_print(const Isolation *i, Level level, Buffer *out)
{
    if (level == LEVEL_AUTO)
        print_levels(i, out);
    if (i->how != ISOLATION_TOLD)
        buffer_printf(out, "  The history does not tell the order of all versions: %s.\n",
                      i->how == ISOLATION_GUESSED ? "one was found in which this is so"
                                                  : "all orders were searched");
    for (size_t a = 0; a < i->anomalies.count; a++)
        print_anomaly(i, &i->anomalies.at[a], out);
}
