#include "guest/states/views/summary.h"
#include <string.h>

/* ---- masks and views ---- */

static inline void add_mask(SummaryMask *to, const SummaryMask *from)
{
    to->scb |= from->scb;
    to->eco |= from->eco;
}

static inline void meet_mask(SummaryMask *to, const SummaryMask *with)
{
    to->scb &= with->scb;
    to->eco &= with->eco;
}

static void copy_view(const Summary *s, SummaryView *to, const SummaryView *from)
{
    memcpy(to, from, s->orders ? sizeof *to : offsetof(SummaryView, fence));
}

static void join_view(const Summary *s, SummaryView *to, const SummaryView *from)
{
    if (from->known)
        return;
    if (to->known) {
        copy_view(s, to, from);
        return;
    }
    for (uint32_t i = 0; i < s->places; i++)
        to->at[i] = MAX(to->at[i], from->at[i]);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        to->clock[t] = MAX(to->clock[t], from->clock[t]);
    for (uint32_t t = 0; t < SUMMARY_THREADS && s->client; t++)
        to->calls[t] = MAX(to->calls[t], from->calls[t]);
    if (!s->orders)
        return;
    add_mask(&to->fence, &from->fence);
    add_mask(&to->before_fence, &from->before_fence);
    add_mask(&to->other, &from->other);
    for (uint32_t i = 0; i < s->places; i++)
        add_mask(&to->same[i], &from->same[i]);
}

static void meet_view(const Summary *s, SummaryView *to, const SummaryView *with)
{
    for (uint32_t i = 0; i < s->places; i++)
        to->at[i] = MIN(to->at[i], with->at[i]);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        to->clock[t] = MIN(to->clock[t], with->clock[t]);
    for (uint32_t t = 0; t < SUMMARY_THREADS && s->client; t++)
        to->calls[t] = MIN(to->calls[t], with->calls[t]);
    if (!s->orders)
        return;
    meet_mask(&to->fence, &with->fence);
    meet_mask(&to->before_fence, &with->before_fence);
    meet_mask(&to->other, &with->other);
    for (uint32_t i = 0; i < s->places; i++)
        meet_mask(&to->same[i], &with->same[i]);
}

typedef void (*MaskVisit)(SummaryMask *mask, const void *context);

static void each_mask_of_view(const Summary *s, SummaryView *v, MaskVisit visit,
                              const void *context)
{
    if (v->known)
        return;
    visit(&v->fence, context);
    visit(&v->before_fence, context);
    visit(&v->other, context);
    for (uint32_t i = 0; i < s->places; i++)
        visit(&v->same[i], context);
}

static bool is_there(const SummaryThread *thread)
{
    return thread->live || thread->ended;
}

typedef void (*ViewVisit)(Summary *s, SummaryView *view, const void *context);

static inline void visit_view(Summary *s, SummaryView *view, ViewVisit visit, const void *context)
{
    if (!view->known)
        visit(s, view, context);
}

/* Calls VISIT for each view that is not known, with its summary. */
static void each_view(Summary *s, ViewVisit visit, const void *context)
{
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        SummaryThread *thread = &s->thread[t];
        for (uint32_t k = 0; k < thread->returned; k++)
            visit_view(s, &thread->returns[k], visit, context);
        if (!is_there(thread))
            continue;
        visit_view(s, &thread->cur, visit, context);
        visit_view(s, &thread->acq, visit, context);
        visit_view(s, &thread->rel, visit, context);
        for (uint32_t i = 0; i < s->places && s->c11; i++)
            visit_view(s, &thread->head[i], visit, context);
    }
    for (uint32_t i = 0; i < s->places; i++)
        for (uint32_t k = 0; k < s->place[i].count; k++)
            visit_view(s, &s->place[i].message[k].view, visit, context);
}

static void each_mask(Summary *s, MaskVisit visit, const void *context)
{
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        SummaryThread *thread = &s->thread[t];
        for (uint32_t k = 0; k < thread->returned; k++)
            each_mask_of_view(s, &thread->returns[k], visit, context);
        if (!is_there(thread))
            continue;
        each_mask_of_view(s, &thread->cur, visit, context);
        each_mask_of_view(s, &thread->acq, visit, context);
        each_mask_of_view(s, &thread->rel, visit, context);
        for (uint32_t i = 0; i < s->places && s->c11; i++)
            each_mask_of_view(s, &thread->head[i], visit, context);
        visit(&thread->skipping, context);
        visit(&thread->reached, context);
    }
    for (uint32_t i = 0; i < s->places; i++)
        for (uint32_t k = 0; k < s->place[i].count; k++) {
            SummaryMessage *m = &s->place[i].message[k];
            each_mask_of_view(s, &m->view, visit, context);
            visit(&m->to_write, context);
            visit(&m->to_write_fenced, context);
            visit(&m->to_read_fenced, context);
        }
}

/* ---- places ---- */

/* THREAD has made nothing, and has seen nothing beside what `cur` has. */
static void clear_thread(SummaryThread *thread)
{
    memset(&thread->acq, 0, sizeof *thread - offsetof(SummaryThread, acq));
    thread->acq.known = thread->rel.known = true;
    for (uint32_t i = 0; i < SUMMARY_PLACES; i++)
        thread->head[i].known = true;
}

void summary_begin(Summary *s)
{
    memset(s, 0, offsetof(Summary, place));
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        clear_thread(&s->thread[t]);
    s->thread[0].live = true;
}

void summary_begin_client(Summary *s, uint32_t may_call)
{
    summary_begin(s);
    s->client = true;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        s->thread[t].live = s->thread[t].may_call = may_call >> t & 1;
}

uint32_t summary_find_place(const Summary *s, uint64_t name)
{
    for (uint32_t i = 0; i < s->places; i++)
        if (s->place[i].name == name)
            return i;
    return SUMMARY_NOWHERE;
}

static uint8_t take_slot(Summary *s)
{
    if (s->slots == UINT64_MAX) {
        s->full = true;
        return 0;
    }
    uint8_t slot = (uint8_t)__builtin_ctzll(~s->slots);
    s->slots |= UINT64_C(1) << slot;
    return slot;
}

static void clear_view(Summary *s UNUSED, SummaryView *v, const void *context)
{
    uint32_t place = *(const uint32_t *)context;
    v->at[place] = 0;
    v->same[place] = (SummaryMask){0, 0};
}

uint32_t summary_add_place(Summary *s, uint64_t name, uint32_t bytes, uint64_t value,
                           bool unwritten)
{
    if (s->places == SUMMARY_PLACES) {
        s->full = true;
        return 0;
    }
    uint32_t place = s->places++;
    SummaryPlace *p = &s->place[place];
    p->name = name;
    p->bytes = bytes;
    p->count = 1;
    memset(&p->message[0], 0, sizeof p->message[0]);
    p->message[0].value = value;
    p->message[0].unwritten = unwritten;
    p->message[0].view.known = true;
    p->message[0].slot = take_slot(s);
    each_view(s, clear_view, &place);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        s->thread[t].head[place].known = true;
    return place;
}

static void remove_bits(SummaryMask *mask, const void *context)
{
    uint64_t bits = *(const uint64_t *)context;
    mask->scb &= ~bits;
    mask->eco &= ~bits;
}

static void remove_slots(Summary *s, uint64_t bits)
{
    s->slots &= ~bits;
    if (bits && s->orders)
        each_mask(s, remove_bits, &bits);
}

static void move_last_place(Summary *s, SummaryView *v, const void *context)
{
    uint32_t place = *(const uint32_t *)context, last = s->places - 1;
    v->at[place] = v->at[last];
    v->same[place] = v->same[last];
}

void summary_drop_place(Summary *s, uint32_t place)
{
    uint64_t bits = 0;
    uint32_t last = s->places - 1;
    for (uint32_t k = 0; k < s->place[place].count; k++)
        bits |= UINT64_C(1) << s->place[place].message[k].slot;
    remove_slots(s, bits);
    each_view(s, move_last_place, &place);
    for (uint32_t t = 0; t < SUMMARY_THREADS && s->c11 && place != last; t++)
        copy_view(s, &s->thread[t].head[place], &s->thread[t].head[last]);
    if (place != last) {
        SummaryPlace *to = &s->place[place], *from = &s->place[last];
        memcpy(to, from,
               offsetof(SummaryPlace, message) + sizeof from->message[0] * (size_t)from->count);
    }
    s->places--;
}

/* ---- events ---- */

/* Entries that reach an event that is added: as a node of psc; with a seq_cst fence before it; by
 * scb or eco. */
typedef struct Reach {
    SummaryMask node, fenced, arrived;
} Reach;

static inline bool reads(const SummaryEvent *e)
{
    return e->kind == SUMMARY_READ || e->kind == SUMMARY_UPDATE;
}

static inline bool writes(const SummaryEvent *e)
{
    return e->kind == SUMMARY_WRITE || e->kind == SUMMARY_UPDATE;
}

static inline bool has_place(const SummaryEvent *e)
{
    return e->kind != SUMMARY_FENCE && e->place != SUMMARY_NOWHERE;
}

/* Leaves in V what happens before E, which counts itself where it reads. */
static void look(const Summary *s, const SummaryEvent *e, SummaryView *v)
{
    const SummaryThread *thread = &s->thread[e->thread];
    copy_view(s, v, &thread->cur);
    if (e->kind == SUMMARY_FENCE && e->acquires)
        join_view(s, v, &thread->acq);
    if (!has_place(e) || !reads(e))
        return;
    if (e->atomic && e->acquires)
        join_view(s, v, &s->place[e->place].message[e->from].view);
    v->at[e->place] = MAX(v->at[e->place], (uint8_t)e->from);
}

static Reach reach(const Summary *s, const SummaryEvent *e, const SummaryView *v)
{
    const SummaryThread *thread = &s->thread[e->thread];
    Reach to = {{0, 0}, {0, 0}, {0, 0}};
    if (!s->orders)
        return to;
    bool goes_on = has_place(e) && thread->last == s->place[e->place].name;
    SummaryMask by_scb = goes_on ? thread->skipping : thread->cur.other;
    add_mask(&by_scb, &thread->reached);
    if (has_place(e)) {
        add_mask(&by_scb, &v->same[e->place]);
        if (writes(e))
            add_mask(&by_scb, &s->place[e->place].message[e->from].to_write);
    }
    to.arrived = by_scb;
    if (has_place(e) && reads(e))
        add_mask(&to.arrived, &s->place[e->place].message[e->from].to_read_fenced);
    if (e->seq_cst)
        to.node = by_scb;
    to.fenced = v->fence;
    if (e->kind == SUMMARY_FENCE && e->seq_cst) {
        add_mask(&to.node, &v->before_fence);
        add_mask(&to.node, &to.arrived);
        add_mask(&to.node, &v->fence);
        add_mask(&to.fenced, &to.node);
    }
    return to;
}

static bool closes_cycle(const SummaryEvent *e, const Reach *to, const SummaryView *v,
                         unsigned slot)
{
    return (e->seq_cst && (to->node.scb >> slot & 1)) ||
           ((v->fence.scb | v->fence.eco) >> slot & 1);
}

bool summary_allows(const Summary *s, const SummaryEvent *e)
{
    if (!has_place(e))
        return true;
    const SummaryPlace *p = &s->place[e->place];
    if (writes(e) && e->from + 1 < p->count && p->message[e->from + 1].attached)
        return false;
    if (!s->orders)
        return true;
    SummaryView v;
    look(s, e, &v);
    Reach to = reach(s, e, &v);
    return !closes_cycle(e, &to, &v, p->message[e->from].slot);
}

/* Whoever is reached from the gap reaches what the event at the gap reaches. */
typedef struct Closure {
    unsigned slot;
    SummaryMask node_or_fenced, fenced;
} Closure;

static void close_mask(SummaryMask *mask, const void *context)
{
    const Closure *c = context;
    bool scb = mask->scb >> c->slot & 1, eco = mask->eco >> c->slot & 1;
    if (scb)
        add_mask(mask, &c->node_or_fenced);
    if (eco)
        add_mask(mask, &c->fenced);
}

typedef struct Column {
    unsigned from, to;
} Column;

static void copy_column(SummaryMask *mask, const void *context)
{
    const Column *c = context;
    mask->scb |= (mask->scb >> c->from & 1) << c->to;
    mask->eco |= (mask->eco >> c->from & 1) << c->to;
}

/* The masks of what is there, with E at its gap, whose message behind it, if it writes, has slot
 * NEW. */
static void update_masks(Summary *s, const SummaryEvent *e, SummaryView *v, Reach *to, unsigned new)
{
    SummaryPlace *p = &s->place[e->place];
    Closure closure = {p->message[e->from].slot, to->node, to->fenced};
    add_mask(&closure.node_or_fenced, &to->fenced);
    each_mask(s, close_mask, &closure);
    each_mask_of_view(s, v, close_mask, &closure);
    close_mask(&to->arrived, &closure);
    if (writes(e)) {
        Column column = {closure.slot, new};
        each_mask(s, copy_column, &column);
        each_mask_of_view(s, v, copy_column, &column);
        copy_column(&to->arrived, &column);
        copy_column(&to->node, &column);
        copy_column(&to->fenced, &column);
        for (uint32_t i = 0; i <= e->from; i++) {
            uint64_t bit = UINT64_C(1) << p->message[i].slot;
            to->arrived.scb |= bit;
            to->node.scb |= e->seq_cst ? bit : 0;
        }
    }
    for (uint32_t i = 0; i < e->from && reads(e); i++)
        to->arrived.eco |= UINT64_C(1) << p->message[i].slot;
}

/* E, which is reached as TO says, is the last event of its thread: its exits. */
static void update_exits(Summary *s, const SummaryEvent *e, SummaryView *v, const Reach *to)
{
    SummaryThread *thread = &s->thread[e->thread];
    uint64_t name = has_place(e) ? s->place[e->place].name : e->at;
    SummaryMask both = to->node;
    add_mask(&both, &to->fenced);
    if (!name || thread->last != name) {
        thread->skipping = thread->cur.other;
        add_mask(&v->other, &thread->reached);
    }
    if (has_place(e))
        add_mask(&v->same[e->place], &both);
    add_mask(&v->before_fence, &to->arrived);
    if (e->kind == SUMMARY_FENCE && e->seq_cst)
        add_mask(&v->fence, &to->node);
    add_mask(&thread->reached, &both);
}

/* ---- races ---- */

static bool overlap(const SummaryRecord *r, const SummaryEvent *e)
{
    return r->at < e->at + e->bytes && e->at < r->at + r->bytes;
}

static const SummaryRecord *find_race(const Summary *s, const SummaryEvent *e, const SummaryView *v)
{
    for (uint32_t i = 0; i < s->records; i++) {
        const SummaryRecord *r = &s->record[i];
        if (r->thread != e->thread && overlap(r, e) && (r->writes || writes(e)) &&
            (r->plain || !e->atomic) && !(r->plain == 2 && e->atomic && !writes(e)) &&
            v->clock[r->thread] < r->clock)
            return r;
    }
    return NULL;
}

static void record(Summary *s, const SummaryEvent *e, SummaryView *v)
{
    uint8_t plain = e->allocates ? 2 : !e->atomic;
    uint16_t clock = v->clock[e->thread] = ++s->clock[e->thread];
    uint32_t i = 0;
    for (; i < s->records; i++) {
        const SummaryRecord *r = &s->record[i];
        if (r->thread == e->thread && r->at == e->at && r->bytes == e->bytes &&
            r->writes == writes(e) && r->plain == plain)
            break;
    }
    if (i == SUMMARY_RECORDS || clock == UINT16_MAX) {
        s->full = true;
        return;
    }
    s->records += i == s->records;
    s->record[i] =
        (SummaryRecord){e->at, e->bytes, clock, e->thread, (uint8_t)writes(e), plain, e->pc};
}

/* ---- adding an event ---- */

static void shift_view(Summary *s UNUSED, SummaryView *v, const void *context)
{
    const SummaryEvent *e = context;
    v->at[e->place] = (uint8_t)(v->at[e->place] + (v->at[e->place] > e->from));
}

static void insert_message(Summary *s, const SummaryEvent *e, SummaryView *v, const Reach *to,
                           unsigned slot)
{
    SummaryPlace *p = &s->place[e->place];
    uint32_t n = e->from + 1;
    if (p->count == SUMMARY_MESSAGES) {
        s->full = true;
        return;
    }
    each_view(s, shift_view, e);
    v->at[e->place] = (uint8_t)n;
    memmove(&p->message[n + 1], &p->message[n], sizeof p->message[0] * (p->count - n));
    p->count++;
    SummaryMessage *m = &p->message[n], *before = &p->message[e->from];
    memset(m, 0, sizeof *m);
    m->value = e->value;
    m->attached = e->kind == SUMMARY_UPDATE;
    m->slot = (uint8_t)slot;
    m->view.known = true;
    if (e->releases)
        copy_view(s, &m->view, v);
    else if (e->atomic)
        copy_view(s, &m->view, &s->thread[e->thread].rel);
    if (s->c11 && e->atomic) { /* (both have moved with their places) */
        SummaryView *head = &s->thread[e->thread].head[e->place];
        join_view(s, &m->view, head);
        if (e->releases)
            join_view(s, head, v);
    }
    if (m->attached)
        join_view(s, &m->view, &before->view);
    m->view.at[e->place] = (uint8_t)n;
    m->to_write = before->to_write;
    m->to_write_fenced = m->to_read_fenced = before->to_write_fenced;
    for (uint32_t i = n; i < p->count && s->orders; i++) {
        add_mask(&p->message[i].to_write, &to->node);
        add_mask(&p->message[i].to_write, &to->fenced);
        add_mask(&p->message[i].to_write_fenced, &to->fenced);
        add_mask(&p->message[i].to_read_fenced, &to->fenced);
    }
}

static void note_read(Summary *s, const SummaryEvent *e, const Reach *to)
{
    SummaryPlace *p = &s->place[e->place];
    for (uint32_t i = e->from; i < p->count; i++) {
        add_mask(&p->message[i].to_write, &to->node);
        add_mask(&p->message[i].to_write, &to->fenced);
        add_mask(&p->message[i].to_write_fenced, &to->fenced);
        if (i > e->from)
            add_mask(&p->message[i].to_read_fenced, &to->fenced);
    }
}

const SummaryRecord *summary_add(Summary *s, const SummaryEvent *e)
{
    SummaryThread *thread = &s->thread[e->thread];
    static SummaryView v; /* (threads' stacks are to stay small) */
    static SummaryRecord raced;
    look(s, e, &v);
    const SummaryRecord *race = e->kind == SUMMARY_FENCE ? NULL : find_race(s, e, &v);
    if (race)
        raced = *race;
    Reach to = reach(s, e, &v);
    if (has_place(e) && reads(e) && e->atomic && !e->acquires && s->fences)
        join_view(s, &thread->acq, &s->place[e->place].message[e->from].view);
    unsigned slot = has_place(e) && writes(e) ? take_slot(s) : 0;
    if (s->full)
        return NULL;
    if (s->orders && has_place(e))
        update_masks(s, e, &v, &to, slot);
    if (s->orders && !e->apart)
        update_exits(s, e, &v, &to);
    if (!e->apart)
        thread->last = e->kind == SUMMARY_FENCE ? 0
                       : has_place(e)           ? s->place[e->place].name
                                                : e->at;
    if (e->recorded)
        record(s, e, &v);
    if (has_place(e) && writes(e))
        insert_message(s, e, &v, &to, slot);
    else if (has_place(e) && s->orders)
        note_read(s, e, &to);
    copy_view(s, &thread->cur, &v);
    if (e->kind == SUMMARY_FENCE && e->releases)
        copy_view(s, &thread->rel, &v);
    if (!thread->acq.known)
        join_view(s, &thread->acq, &v);
    return race ? &raced : NULL;
}

/* An event of T that is no access and no fence. */
static void add_other_event(Summary *s, uint32_t t)
{
    summary_add(s, &(SummaryEvent){.thread = (uint8_t)t, .kind = SUMMARY_FENCE});
}

void summary_create(Summary *s, uint32_t parent, uint32_t child)
{
    add_other_event(s, parent);
    memset(&s->thread[child], 0, offsetof(SummaryThread, acq));
    clear_thread(&s->thread[child]);
    s->thread[child].live = true;
    copy_view(s, &s->thread[child].cur, &s->thread[parent].cur);
}

void summary_end(Summary *s, uint32_t t)
{
    add_other_event(s, t);
    s->thread[t].live = false;
    s->thread[t].ended = true;
    clear_thread(&s->thread[t]);
}

/* T sees what FROM has. */
static void see(Summary *s, SummaryThread *thread, const SummaryView *from)
{
    join_view(s, &thread->cur, from);
    if (!thread->acq.known)
        join_view(s, &thread->acq, from);
}

void summary_wait(Summary *s, uint32_t t, uint32_t awaited)
{
    see(s, &s->thread[t], &s->thread[awaited].cur);
}

void summary_join(Summary *s, uint32_t t, uint32_t ended)
{
    SummaryThread *thread = &s->thread[t];
    see(s, thread, &s->thread[ended].cur);
    add_other_event(s, t);
    s->thread[ended].ended = false;
}

/* ---- calls of a client ---- */

/* Has V seen all calls that come before those of CHOSEN that it has not? */
static bool is_closed(const Summary *s, const SummaryView *v, const uint8_t *chosen)
{
    for (uint32_t u = 0; u < SUMMARY_THREADS; u++)
        for (uint32_t k = v->calls[u]; k < chosen[u]; k++)
            for (uint32_t w = 0; w < SUMMARY_THREADS; w++)
                if (s->thread[u].returns[k].calls[w] > chosen[w])
                    return false;
    return true;
}

/* Makes CHOSEN the next one, of those from what V has seen on; false if it was the last one. */
static bool choose_next(const Summary *s, const SummaryView *v, uint8_t *chosen)
{
    for (uint32_t u = 0; u < SUMMARY_THREADS; u++) {
        if (chosen[u] < s->thread[u].returned) {
            chosen[u]++;
            return true;
        }
        chosen[u] = v->calls[u];
    }
    return false;
}

uint32_t summary_call_ways(const Summary *s, uint32_t t, uint32_t way,
                           uint8_t chosen[SUMMARY_THREADS])
{
    const SummaryView *v = &s->thread[t].cur;
    uint32_t count = 0;
    memcpy(chosen, v->calls, SUMMARY_THREADS);
    do
        count += is_closed(s, v, chosen);
    while (count <= way && choose_next(s, v, chosen));
    return count;
}

void summary_call(Summary *s, uint32_t t, const uint8_t chosen[SUMMARY_THREADS], bool may_call)
{
    SummaryThread *thread = &s->thread[t];
    thread->may_call = may_call;
    for (uint32_t u = 0; u < SUMMARY_THREADS; u++)
        if (chosen[u] > thread->cur.calls[u])
            see(s, thread, &s->thread[u].returns[chosen[u] - 1]);
    add_other_event(s, t);
}

void summary_return(Summary *s, uint32_t t)
{
    SummaryThread *thread = &s->thread[t];
    add_other_event(s, t);
    if (thread->returned == SUMMARY_RETURNS) {
        s->full = true;
        return;
    }
    thread->cur.calls[t] = thread->acq.calls[t] = ++thread->returned;
    copy_view(s, &thread->returns[thread->returned - 1], &thread->cur);
    thread->live = thread->may_call;
}

/* ---- forgetting ---- */

/* Leaves in COMMON what all live threads have seen. */
static bool find_common(const Summary *s, SummaryView *common)
{
    bool any = false;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        if (!s->thread[t].live)
            continue;
        if (any)
            meet_view(s, common, &s->thread[t].cur);
        else
            copy_view(s, common, &s->thread[t].cur);
        any = true;
    }
    return any;
}

typedef struct Lowered {
    uint32_t place;
    uint8_t by;
} Lowered;

static void lower_view(Summary *s UNUSED, SummaryView *v, const void *context)
{
    const Lowered *l = context;
    v->at[l->place] = (uint8_t)(v->at[l->place] > l->by ? v->at[l->place] - l->by : 0);
}

/* The first LOW messages can't be read any more, and nothing can be put before them. */
static uint64_t drop_messages(Summary *s, uint32_t place, uint8_t low)
{
    SummaryPlace *p = &s->place[place];
    uint64_t bits = 0;
    for (uint32_t i = 0; i < low; i++)
        bits |= UINT64_C(1) << p->message[i].slot;
    p->count -= low;
    memmove(p->message, p->message + low, sizeof p->message[0] * p->count);
    p->message[0].attached = false;
    each_view(s, lower_view, &(Lowered){place, low});
    return bits;
}

static void drop_old_messages(Summary *s, SummaryView *common)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < s->places; i++) {
        uint8_t low = common->at[i];
        if (!low)
            continue;
        bits |= drop_messages(s, i, low);
        common->at[i] = 0;
    }
    remove_slots(s, bits);
    if (s->orders)
        each_mask_of_view(s, common, remove_bits, &bits);
}

/* Entries that `skipping` or `other` has need not be in `reached` (see reach). */
static void thin_exits(SummaryThread *thread)
{
    const SummaryMask *has = thread->last ? &thread->skipping : &thread->cur.other;
    thread->reached.scb &= ~has->scb;
    thread->reached.eco &= ~has->eco;
    if (!thread->last)
        thread->skipping = (SummaryMask){0, 0};
}

static void raise_view(const Summary *s, SummaryView *v, const SummaryView *common)
{
    if (!v->known)
        join_view(s, v, common);
}

static void raise_views(Summary *s, const SummaryView *common)
{
    for (uint32_t i = 0; i < s->places; i++)
        for (uint32_t k = 0; k < s->place[i].count; k++) {
            SummaryMessage *m = &s->place[i].message[k];
            raise_view(s, &m->view, common);
            m->view.at[i] = (uint8_t)k; /* who reads it sees it anyway */
        }
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        for (uint32_t k = 0; k < s->thread[t].returned; k++)
            raise_view(s, &s->thread[t].returns[k], common);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (s->thread[t].live) {
            raise_view(s, &s->thread[t].rel, common);
            for (uint32_t i = 0; i < s->places && s->c11; i++)
                raise_view(s, &s->thread[t].head[i], common);
        }
}

static void drop_records(Summary *s, const SummaryView *common)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->records; i++)
        if (common->clock[s->record[i].thread] < s->record[i].clock)
            s->record[kept++] = s->record[i];
    s->records = kept;
}

typedef struct Known { /* records of a thread: their clocks, in order */
    uint16_t count, clock[SUMMARY_RECORDS];
} Known;

static void lower_clocks(Summary *s, SummaryView *v, const void *context)
{
    const Known *known = context;
    (void)s;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        uint16_t count = 0;
        while (count < known[t].count && known[t].clock[count] <= v->clock[t])
            count++;
        v->clock[t] = count;
    }
}

/* Only which records a view has seen matters: clocks count these. */
static void number_clocks(Summary *s)
{
    static Known known[SUMMARY_THREADS];
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        known[t].count = 0;
    for (uint32_t i = 0; i < s->records; i++) {
        Known *list = &known[s->record[i].thread];
        uint16_t k = list->count++;
        for (; k && list->clock[k - 1] > s->record[i].clock; k--)
            list->clock[k] = list->clock[k - 1];
        list->clock[k] = s->record[i].clock;
    }
    each_view(s, lower_clocks, known);
    for (uint32_t i = 0; i < s->records; i++) {
        const Known *list = &known[s->record[i].thread];
        uint16_t k = 0;
        while (list->clock[k] != s->record[i].clock)
            k++;
        s->record[i].clock = (uint16_t)(k + 1);
    }
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        s->clock[t] = known[t].count;
}

static bool is_below(const SummaryMask *a, const SummaryMask *b)
{
    return !(a->scb & ~b->scb) && !(a->eco & ~b->eco);
}

/* Is VIEW, but for the calls that it has seen, no more than COMMON? */
static bool is_known(const Summary *s, const SummaryView *view, const SummaryView *common)
{
    if (view->known)
        return true;
    for (uint32_t i = 0; i < s->places; i++)
        if (view->at[i] > common->at[i])
            return false;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (view->clock[t] > common->clock[t])
            return false;
    if (!s->orders)
        return true;
    for (uint32_t i = 0; i < s->places; i++)
        if (!is_below(&view->same[i], &common->same[i]))
            return false;
    return is_below(&view->fence, &common->fence) &&
           is_below(&view->before_fence, &common->before_fence) &&
           is_below(&view->other, &common->other);
}

static bool knows_calls(const SummaryView *view, const SummaryView *common)
{
    if (view->known)
        return true;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (view->calls[t] > common->calls[t])
            return false;
    return true;
}

static void note_same(Summary *s, SummaryView *v, const void *context)
{
    const uint32_t *place = context;
    if (v->same[*place].scb | v->same[*place].eco)
        s->full = true; /* (see is_fresh) */
}

/* Is place P as one that nobody has accessed? */
static bool is_fresh(Summary *s, uint32_t p, const SummaryView *common)
{
    const SummaryPlace *place = &s->place[p];
    const SummaryMessage *m = &place->message[0];
    if (place->count != 1 || !is_known(s, &m->view, common) || !knows_calls(&m->view, common))
        return false;
    for (uint32_t t = 0; t < SUMMARY_THREADS && s->c11; t++) {
        const SummaryView *head = &s->thread[t].head[p];
        if (s->thread[t].live && !(is_known(s, head, common) && knows_calls(head, common)))
            return false;
    }
    if (!s->orders)
        return true;
    if (m->to_write.scb | m->to_write.eco | m->to_write_fenced.scb | m->to_write_fenced.eco |
        m->to_read_fenced.scb | m->to_read_fenced.eco)
        return false;
    bool full = s->full;
    s->full = false;
    each_view(s, note_same, &p);
    bool is_same = s->full;
    s->full = full;
    return !is_same;
}

/* A thread that has seen whatever a call had seen, but not the call, could come behind it at no
 * cost: it has seen it. */
static void see_calls(Summary *s, SummaryView *v)
{
    for (uint32_t u = 0; u < SUMMARY_THREADS; u++)
        for (uint32_t k = v->calls[u]; k < s->thread[u].returned; k++)
            if (is_known(s, &s->thread[u].returns[k], v))
                join_view(s, v, &s->thread[u].returns[k]);
}

static void lower_calls(Summary *s UNUSED, SummaryView *v, const void *context)
{
    const uint8_t *by = context;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        v->calls[t] = (uint8_t)(v->calls[t] > by[t] ? v->calls[t] - by[t] : 0);
}

/* All who may call have seen BY[t] calls of each thread: they are counted no more. */
static void drop_returns(Summary *s, const uint8_t *by)
{
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        SummaryThread *thread = &s->thread[t];
        thread->returned = (uint8_t)(thread->returned - by[t]);
        memmove(thread->returns, thread->returns + by[t],
                sizeof *thread->returns * thread->returned);
    }
    each_view(s, lower_calls, by);
}

static void drop_calls(Summary *s, uint32_t *dropped)
{
    uint8_t by[SUMMARY_THREADS], any = 0;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (s->thread[t].may_call)
            see_calls(s, &s->thread[t].cur);
    for (uint32_t u = 0; u < SUMMARY_THREADS; u++) {
        by[u] = s->thread[u].returned;
        for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
            if (s->thread[t].may_call)
                by[u] = MIN(by[u], s->thread[t].cur.calls[u]);
        any |= by[u];
        if (dropped)
            dropped[u] += by[u];
    }
    if (any)
        drop_returns(s, by);
}

static void note_known(const Summary *s, SummaryView *v, const SummaryView *common)
{
    v->known = is_known(s, v, common) && knows_calls(v, common);
}

static void note_all_known(Summary *s, SummaryView *common)
{
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        SummaryThread *thread = &s->thread[t];
        if (!thread->live)
            continue;
        note_known(s, &thread->acq, &thread->cur);
        note_known(s, &thread->rel, common);
        for (uint32_t i = 0; i < s->places && s->c11; i++)
            note_known(s, &thread->head[i], common);
    }
    for (uint32_t i = 0; i < s->places; i++)
        for (uint32_t k = 0; k < s->place[i].count; k++) {
            uint8_t own = common->at[i];
            common->at[i] = (uint8_t)k; /* (who reads a message has seen it) */
            note_known(s, &s->place[i].message[k].view, common);
            common->at[i] = own;
        }
}

void summary_forget(Summary *s, uint32_t dropped[SUMMARY_THREADS])
{
    SummaryView common;
    if (s->client)
        drop_calls(s, dropped);
    if (!find_common(s, &common))
        return;
    drop_old_messages(s, &common);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (is_there(&s->thread[t]) && s->orders)
            thin_exits(&s->thread[t]);
    raise_views(s, &common);
    drop_records(s, &common);
    number_clocks(s);
    find_common(s, &common);
    for (uint32_t p = s->places; p-- > 0;)
        if (is_fresh(s, p, &common)) {
            summary_drop_place(s, p);
            find_common(s, &common);
        }
    note_all_known(s, &common);
}

/* ---- copies ---- */

typedef struct Stream {
    char *to;         /* or NULL: */
    const char *from; /* it is read */
} Stream;

static inline void transfer(Stream *stream, void *at, size_t bytes)
{
    if (stream->to) {
        memcpy(stream->to, at, bytes);
        stream->to += bytes;
    } else {
        memcpy(at, stream->from, bytes);
        stream->from += bytes;
    }
}

static void transfer_view(Summary *s, SummaryView *v, Stream *stream)
{
    transfer(stream, &v->known, sizeof v->known);
    if (v->known)
        return;
    transfer(stream, v->at, s->places);
    transfer(stream, v->clock, sizeof v->clock);
    if (s->client)
        transfer(stream, v->calls, sizeof v->calls);
    if (!s->orders)
        return;
    transfer(stream, &v->fence, 3 * sizeof v->fence);
    transfer(stream, v->same, sizeof *v->same * s->places);
}

static void transfer_thread(Summary *s, SummaryThread *thread, Stream *stream)
{
    transfer(stream, thread, offsetof(SummaryThread, cur)); /* live, ended */
    if (thread->ended && !stream->to)
        clear_thread(thread);
    for (uint32_t k = 0; k < thread->returned; k++)
        transfer_view(s, &thread->returns[k], stream);
    if (!is_there(thread))
        return;
    transfer_view(s, &thread->cur, stream);
    if (thread->ended)
        return;
    transfer_view(s, &thread->acq, stream);
    transfer_view(s, &thread->rel, stream);
    for (uint32_t i = 0; i < s->places && s->c11; i++)
        transfer_view(s, &thread->head[i], stream);
    transfer(stream, &thread->last, sizeof thread->last);
    if (!s->orders)
        return;
    transfer(stream, &thread->skipping, sizeof thread->skipping);
    transfer(stream, &thread->reached, sizeof thread->reached);
}

static void transfer_place(Summary *s, SummaryPlace *p, Stream *stream)
{
    transfer(stream, p, offsetof(SummaryPlace, message));
    for (uint32_t k = 0; k < p->count; k++) {
        SummaryMessage *m = &p->message[k];
        transfer(stream, m, offsetof(SummaryMessage, view));
        transfer_view(s, &m->view, stream);
        if (s->orders)
            transfer(stream, &m->to_write, 3 * sizeof m->to_write);
    }
}

static void transfer_all(Summary *s, Stream *stream)
{
    transfer(stream, s, offsetof(Summary, thread));
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        transfer_thread(s, &s->thread[t], stream);
    }
    transfer(stream, s->record, sizeof *s->record * s->records);
    for (uint32_t p = 0; p < s->places; p++)
        transfer_place(s, &s->place[p], stream);
}

size_t summary_bytes(const Summary *s)
{
    size_t views = 3 * SUMMARY_THREADS, view = sizeof(SummaryView);
    for (uint32_t p = 0; p < s->places; p++)
        views += s->place[p].count + (s->c11 ? SUMMARY_THREADS : 0);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        views += s->thread[t].returned;
    return sizeof(Summary) - sizeof s->place - sizeof s->record + sizeof *s->record * s->records +
           views * (view + sizeof(SummaryMessage)) + s->places * offsetof(SummaryPlace, message);
}

char *summary_save(const Summary *s, char *to)
{
    Stream stream = {to, NULL};
    transfer_all((Summary *)(uintptr_t)s, &stream); /* (which it only reads) */
    return stream.to;
}

const char *summary_restore(Summary *s, const char *from)
{
    Stream stream = {NULL, from};
    transfer_all(s, &stream);
    return stream.from;
}

/* ---- keys ---- */

typedef struct Names {
    uint8_t slot[SUMMARY_GAPS]; /* by slot: its number */
    const uint8_t *order;
} Names;

static uint64_t *put_mask(const Names *names, const SummaryMask *mask, uint64_t *to)
{
    for (int k = 0; k < 2; k++) {
        uint64_t bits = k ? mask->eco : mask->scb, named = 0;
        for (; bits; bits &= bits - 1)
            named |= UINT64_C(1) << names->slot[__builtin_ctzll(bits)];
        *to++ = named;
    }
    return to;
}

static uint64_t *put_view(const Summary *s, const Names *names, const SummaryView *v, uint64_t *to)
{
    uint64_t word = 0;
    *to++ = v->known;
    if (v->known)
        return to;
    for (uint32_t i = 0; i < s->places; i++) {
        word = word << 8 | v->at[names->order[i]];
        if (i % 8 == 7 || i + 1 == s->places)
            *to++ = word;
    }
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++) {
        word = t % 4 ? word << 16 | v->clock[t] : v->clock[t];
        if (t % 4 == 3 || t + 1 == SUMMARY_THREADS)
            *to++ = word;
    }
    word = 0;
    for (uint32_t t = 0; t < SUMMARY_THREADS && s->client; t++)
        word = word << 8 | v->calls[t];
    if (s->client)
        *to++ = word;
    if (!s->orders)
        return to;
    to = put_mask(names, &v->fence, to);
    to = put_mask(names, &v->before_fence, to);
    to = put_mask(names, &v->other, to);
    for (uint32_t i = 0; i < s->places; i++)
        to = put_mask(names, &v->same[names->order[i]], to);
    return to;
}

static uint64_t *put_summary_thread(const Summary *s, const Names *names,
                                    const SummaryThread *thread, uint64_t *to)
{
    *to++ = (uint64_t)thread->returned << 3 | (uint64_t)thread->may_call << 2 |
            (uint64_t)thread->live << 1 | thread->ended;
    for (uint32_t k = 0; k < thread->returned; k++)
        to = put_view(s, names, &thread->returns[k], to);
    if (!is_there(thread))
        return to;
    to = put_view(s, names, &thread->cur, to);
    if (thread->ended)
        return to;
    to = put_view(s, names, &thread->acq, to);
    to = put_view(s, names, &thread->rel, to);
    for (uint32_t i = 0; i < s->places && s->c11; i++)
        to = put_view(s, names, &thread->head[names->order[i]], to);
    if (!s->orders)
        return to;
    to = put_mask(names, &thread->skipping, to);
    return put_mask(names, &thread->reached, to);
}

size_t summary_words(const Summary *s)
{
    return summary_bytes(s) / 2 + 64; /* (bytes of a view take a byte each, clocks two) */
}

uint64_t *summary_put(const Summary *s, const uint8_t *order, uint64_t *to)
{
    Names names = {.order = order};
    uint8_t count = 0;
    for (uint32_t i = 0; i < s->places; i++)
        for (uint32_t k = 0; k < s->place[order[i]].count; k++)
            names.slot[s->place[order[i]].message[k].slot] = count++;
    *to++ = (uint64_t)s->places << 32 | s->orders;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        to = put_summary_thread(s, &names, &s->thread[t], to);
    for (uint32_t i = 0; i < s->places; i++) {
        const SummaryPlace *p = &s->place[order[i]];
        *to++ = (uint64_t)p->count << 32 | p->bytes;
        for (uint32_t k = 0; k < p->count; k++) {
            const SummaryMessage *m = &p->message[k];
            *to++ = (uint64_t)m->attached << 1 | m->unwritten;
            to = put_view(s, &names, &m->view, to);
            if (!s->orders)
                continue;
            to = put_mask(&names, &m->to_write, to);
            to = put_mask(&names, &m->to_write_fenced, to);
            to = put_mask(&names, &m->to_read_fenced, to);
        }
    }
    return to;
}
