#include "tool/cli/weaken/kept.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "record/hooks.h"
#include "tool/cli/scale/facts.h"
#include "tool/instrument/process.h"

#define INTERVAL_SECONDS 1.0

/* The file has a head, the orders that were met with their places in the table, the tries with
 * the numbers of their orders. */
typedef struct KeptHead {
    uint32_t sites, tries, full;
    uint32_t base_ms; /* that the program as it is took */
} KeptHead;
typedef struct KeptSite {
    uint64_t place;
    OrderSite site;
} KeptSite;
typedef struct KeptTry {
    uint64_t order;
    WeakenTry attempt;
} KeptTry;

/* ---- writing ---- */

/* Those that have ended and decide something; what follows another is made again. */
static unsigned ended(const WeakenOrder *order)
{
    unsigned count = 0;
    while (count < WEAKEN_TRIES && __atomic_load_n(&order->tries[count].done, __ATOMIC_ACQUIRE) &&
           order->tries[count].verdict != VERDICT_INCONCLUSIVE)
        count++;
    return count;
}

static uint64_t count_ended(const WeakenKept *kept)
{
    uint64_t count = 0;
    for (size_t i = 0; kept->there && i < kept->order_count; i++)
        count += ended(&kept->there[i]);
    return count;
}

static void put_state(const WeakenKept *kept, Buffer *out)
{
    KeptHead head = {.full = kept->table->full, .base_ms = kept->base_ms};
    buffer_append(out, &head, sizeof head);
    for (size_t i = 0; i < ORDERS_SITES; i++)
        if (kept->table->sites[i].key) {
            KeptSite site = {i, kept->table->sites[i]};
            buffer_append(out, &site, sizeof site);
            head.sites++;
        }
    for (size_t i = 0; kept->there && i < kept->order_count; i++)
        for (unsigned k = 0, count = ended(&kept->there[i]); k < count; k++) {
            KeptTry made;
            memset(&made, 0, sizeof made);
            made.order = i;
            made.attempt = kept->there[i].tries[k];
            buffer_append(out, &made, sizeof made);
            head.tries++;
        }
    memcpy(out->at, &head, sizeof head);
}

static void write_file(WeakenKept *kept)
{
    Buffer state = {0};
    Error error = {0};
    Ledger now = kept->ledger;
    if (kept->has_base)
        put_state(kept, &state);
    now.kept = (const unsigned char *)state.at;
    now.kept_bytes = (uint32_t)state.count;
    now.seconds = kept->before + process_seconds() - kept->start;
    kept->tries = count_ended(kept);
    bool written = ledger_write(kept->path, &now, &kept->fd, &error);
    snprintf(kept->failure, sizeof kept->failure, "%.250s", written ? "" : error.message);
    vec_free(&state);
    kept->last = process_seconds();
}

void weaken_kept_write(WeakenKept *kept, bool now)
{
    double interval = hooks.journal_ms >= 0 ? (double)hooks.journal_ms / 1e3 : INTERVAL_SECONDS;
    if (now || (process_seconds() - kept->last >= interval && count_ended(kept) != kept->tries))
        write_file(kept);
}

void weaken_kept_base(WeakenKept *kept, const OrderTable *table, const Answer *answer)
{
    Ledger *ledger = &kept->ledger;
    kept->has_base = true;
    kept->table = table;
    kept->base_ms = (uint32_t)(answer->seconds * 1e3);
    ledger->counts.executions = answer->executions;
    ledger->counts.blocked = answer->blocked;
    ledger->exhaustive = answer->exhaustive;
    ledger->coverage = answer->outcome.coverage;
    write_file(kept);
}

/* ---- reading ---- */

static bool take_table(WeakenKept *kept, OrderTable *table)
{
    const Ledger *ledger = &kept->ledger;
    KeptHead head;
    if (ledger->kept_bytes < sizeof head)
        return false;
    memcpy(&head, ledger->kept, sizeof head);
    if (head.sites > ORDERS_SITES || head.tries > UINT32_MAX / sizeof(KeptTry) ||
        ledger->kept_bytes !=
            sizeof head + head.sites * sizeof(KeptSite) + (uint64_t)head.tries * sizeof(KeptTry))
        return false;
    table->full = head.full;
    kept->base_ms = head.base_ms;
    for (uint32_t i = 0; i < head.sites; i++) {
        KeptSite site;
        memcpy(&site, ledger->kept + sizeof head + i * sizeof site, sizeof site);
        if (site.place >= ORDERS_SITES)
            return false;
        table->sites[site.place] = site.site;
    }
    return true;
}

/* Is it the try that would be made next? */
static bool is_next(const WeakenOrder *order, const WeakenTry *attempt)
{
    unsigned to;
    return order->try_count < WEAKEN_TRIES && weaken_next(order, &to) && to == attempt->to &&
           attempt->done && (unsigned)attempt->verdict < VERDICT_INCONCLUSIVE + 1u &&
           memchr(attempt->text, 0, sizeof attempt->text) &&
           memchr(attempt->test, 0, sizeof attempt->test);
}

bool weaken_kept_resume(WeakenKept *kept, WeakenOrder *orders, size_t count, Error *error)
{
    KeptHead head = {0};
    const unsigned char *at = kept->ledger.kept;
    kept->there = orders;
    kept->order_count = count;
    if (!kept->ledger.kept_bytes)
        return true;
    memcpy(&head, at, sizeof head);
    at += sizeof head + head.sites * sizeof(KeptSite);
    for (uint32_t i = 0; i < head.tries; i++, at += sizeof(KeptTry)) {
        KeptTry made;
        memcpy(&made, at, sizeof made);
        if (made.order >= count || !is_next(&orders[made.order], &made.attempt))
            return error_set(error, "%s does not fit the program: it is damaged", kept->path);
        WeakenOrder *order = &orders[made.order];
        order->tries[order->try_count++] = made.attempt;
    }
    kept->tries = head.tries;
    return true;
}

static bool read_file(WeakenKept *kept, const LedgerFacts *facts, OrderTable *table, Answer *answer,
                      Error *error)
{
    Ledger *ledger = &kept->ledger;
    if (!ledger_read(kept->arena, kept->path, ledger, error))
        return false;
    const char *difference = ledger_difference(kept->arena, &ledger->facts, facts);
    vec_free(&ledger->facts);
    if (difference)
        return error_set(error, "%s is of another exploration: %s", kept->path, difference);
    kept->before = ledger->seconds;
    if (!ledger->kept_bytes)
        return true;
    if (!take_table(kept, table))
        return error_set(error, "%s is damaged", kept->path);
    kept->has_base = true;
    kept->table = table;
    answer->verdict = VERDICT_HOLDS;
    answer->seconds = kept->base_ms / 1e3;
    answer->executions = ledger->counts.executions;
    answer->blocked = ledger->counts.blocked;
    answer->exhaustive = ledger->exhaustive;
    answer->outcome.coverage = ledger->coverage;
    return true;
}

bool weaken_kept_open(WeakenKept *kept, const Session *session, const char *path, const char *place,
                      OrderTable *table, Answer *answer, Error *error)
{
    *kept =
        (WeakenKept){.path = path, .fd = -1, .arena = session->arena, .start = process_seconds()};
    LedgerFacts facts = {0};
    bool fine =
        ledger_lock(path, O_RDONLY, &kept->fd, error) && facts_collect(session, &facts, error);
    vec_push(&facts, (LedgerFact){"weakened", place ? place : "every order"});
    bool fresh = kept->fd < 0;
    fine = fine && (fresh || read_file(kept, &facts, table, answer, error));
    kept->ledger.facts = facts;
    kept->ledger.subject = session->subject;
    kept->ledger.command = "weaken";
    if (!fine) {
        weaken_kept_close(kept, true, true);
        return false;
    }
    if (fresh)
        write_file(kept);
    if (fresh && kept->failure[0]) { /* better now than after a night */
        error_set(error, "%s", kept->failure);
        weaken_kept_close(kept, true, true);
        return false;
    }
    return true;
}

void weaken_kept_close(WeakenKept *kept, bool answered, bool quiet)
{
    if (kept->failure[0] && !quiet)
        print_plain(stderr, "heddle: %s: it is older than this answer\n", kept->failure);
    else if (!answered)
        print_plain(stderr, "heddle: the same command goes on from %s\n", kept->path);
    if (kept->fd >= 0)
        close(kept->fd);
    ledger_free(&kept->ledger);
}
