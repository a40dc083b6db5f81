#include "oracle.h"

bool oracle_c11;

bool code_has(const Code *code, int op)
{
    for (int i = 0; i < code->length; i++)
        if (code->step[i].op == op)
            return true;
    return false;
}

int self_place(const Self *self, const Step *s)
{
    if (s->place < VARIABLES)
        return s->place;
    int16_t pointer = self->reg[(s->place - PLACE_FIELD) / FIELDS];
    return pointer ? VARIABLES + node_of_value(pointer) * FIELDS + (s->place & 1) : -1;
}

int self_new_node(const Program *p, int t, Self *self, const Step *s)
{
    int kind = s->op == OP_OWN                                 ? NODE_OWN
               : s->op == OP_STACK                             ? NODE_STACK
               : s->op == OP_TLS                               ? NODE_TLS
               : self->allocated < NODES_OF_THREAD - NODE_HEAP ? NODE_HEAP + self->allocated++
                                                               : -1;
    if (kind < 0)
        return -1;
    int node = (kind == NODE_OWN ? class_of(p, t) : t) * NODES_OF_THREAD + kind;
    self->reg[s->reg] = (int16_t)(POINTER + node);
    return node;
}

static bool holds(const Self *self, const Step *s)
{
    return (self->reg[s->reg] == self_value(self, s->value)) == s->equal;
}

/* Is the step one that nobody else can see? Takes it, then. */
static bool take_local(const Program *p, int t, Self *self, const Step *s, int *back)
{
    int pc = self->pc;
    switch (s->op) {
    case OP_OWN:
    case OP_STACK:
    case OP_TLS:
        self_new_node(p, t, self, s);
        break;
    case OP_SET:
        self->reg[s->reg] = s->value.number;
        break;
    case OP_ASSERT:
        self->failed = !holds(self, s);
        break;
    case OP_LOOP:
    case OP_END:
        break;
    case OP_FOR:
        self->reg[s->reg] = 0;
        break;
    case OP_UNTIL:
        if (!holds(self, s)) {
            pc = s->to;
            if (back)
                ++*back;
        }
        break;
    case OP_NEXT:
        if (++self->reg[s->reg] < s->value.number)
            pc = s->to;
        break;
    case OP_IF:
        if (!holds(self, s))
            pc = s->to;
        break;
    case OP_BREAK:
        if (holds(self, s))
            pc = s->to;
        break;
    case OP_TELL:
        return false;
    default:
        if (!is_access(s->op) || self_place(self, s) >= 0)
            return false;
        if (s->reg >= 0)
            self->reg[s->reg] = 0;
        if (s->flag >= 0)
            self->reg[s->flag] = 0;
    }
    self->pc = (uint8_t)(pc + 1);
    return true;
}

bool self_advance(const Program *p, int t, Self *self, int *back)
{
    enum { ENDLESS = 2000 };
    const Code *code = &p->thread[t];
    for (int n = 0; self->pc < code->length && n < ENDLESS; n++) {
        int rounds = back ? *back : 0;
        if (!take_local(p, t, self, &code->step[self->pc], back))
            return true;
        if (self->failed)
            return false;
        if (back && *back != rounds)
            return true; /* whoever counts looks */
    }
    return true;
}

void oracle_add(Judged *j, const Outcome *o)
{
    if (j->outcomes == j->room) {
        j->room = j->room ? 2 * j->room : 64;
        j->outcome = realloc(j->outcome, (size_t)j->room * sizeof *o);
    }
    j->outcome[j->outcomes++] = *o;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Outcome));
}

void oracle_sort(Judged *j)
{
    int kept = 0;
    if (j->outcomes)
        qsort(j->outcome, (size_t)j->outcomes, sizeof *j->outcome, compare);
    for (int i = 0; i < j->outcomes; i++)
        if (!i || compare(&j->outcome[i], &j->outcome[kept - 1]))
            j->outcome[kept++] = j->outcome[i];
    j->outcomes = kept;
}

void oracle_free(Judged *j)
{
    free(j->outcome);
    *j = (Judged){0};
}

void oracle_judge(const Program *p, Model model, int rounds, long most, Judged *j)
{
    *j = (Judged){0};
    if (model == MODEL_RC11)
        axioms_judge(p, rounds, most, j);
    else
        machine_judge(p, model, most, j);
    oracle_sort(j);
}
