#include "print.h"

static const char *const order_words[] = {"__ATOMIC_RELAXED", "?",
                                          "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE",
                                          "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"};

static void print_c_value(Value v)
{
    if (v.reg < 0)
        printf("%d", v.number);
    else
        printf("r%d + %d", v.reg, v.number);
}

/* AT, with which the access is made, and what it gives. */
static void print_c_access(const Step *s)
{
    if (s->place < VARIABLES)
        printf("    at = &random_variables[%d];\n", s->place);
    else
        printf("    at = r%d ? (long *)r%d + %d : NULL;\n", (s->place - PLACE_FIELD) / FIELDS,
               (s->place - PLACE_FIELD) / FIELDS, s->place & 1);
    if (s->reg >= 0 && s->place >= VARIABLES)
        printf("    r%d = 0;\n", s->reg);
    if (s->flag >= 0 && s->place >= VARIABLES)
        printf("    r%d = 0;\n", s->flag);
    printf(s->place < VARIABLES ? "    { " : "    if (at) { ");
    if (s->op == OP_LOAD || s->op == OP_ADD || s->op == OP_XCHG) {
        if (s->reg >= 0)
            printf("r%d = ", s->reg);
        else
            printf("(void)");
    }
    switch (s->op) {
    case OP_LOAD:
        printf(s->order == NA    ? "plain_load(at)"
               : s->order == VOL ? "*(volatile long *)at"
                                 : "__atomic_load_n(at, %s)",
               s->order < VOL ? order_words[s->order] : "");
        break;
    case OP_STORE:
        printf(s->order == NA    ? "plain_store(at, "
               : s->order == VOL ? "*(volatile long *)at = ("
                                 : "__atomic_store_n(at, ");
        print_c_value(s->value);
        if (s->order < VOL)
            printf(", %s", order_words[s->order]);
        printf(")");
        break;
    case OP_ADD:
    case OP_XCHG:
        printf(s->op == OP_ADD ? "__atomic_fetch_add(at, " : "__atomic_exchange_n(at, ");
        print_c_value(s->value);
        printf(", %s)", order_words[s->order]);
        break;
    default:
        printf("long found = ");
        print_c_value(s->expected);
        printf("; int done = __atomic_compare_exchange_n(at, &found, ");
        print_c_value(s->value);
        printf(", %d, %s, %s); ", s->op == OP_WEAK, order_words[s->order], order_words[s->failure]);
        if (s->reg >= 0)
            printf("r%d = found; ", s->reg);
        printf("r%d = done", s->flag);
    }
    printf("; }\n");
}

static void print_c_condition(const char *before, const Step *s, const char *after)
{
    printf("    %s(r%d %s ", before, s->reg, s->equal ? "==" : "!=");
    print_c_value(s->value);
    printf(")%s\n", after);
}

static void print_c_step(const Program *p, int number, int t, const Step *s)
{
    if (is_access(s->op)) {
        print_c_access(s);
        return;
    }
    switch (s->op) {
    case OP_FENCE:
        printf("    __atomic_thread_fence(%s);\n", order_words[s->order]);
        break;
    case OP_NEW:
        printf("    r%d = new_node();\n", s->reg);
        break;
    case OP_FREE:
        printf("    free((void *)r%d);\n", s->reg);
        break;
    case OP_OWN:
        printf("    r%d = (long)random_own[%d];\n", s->reg, t ? class_of(p, t) : 0);
        break;
    case OP_STACK:
        printf("    r%d = (long)lent;\n", s->reg);
        break;
    case OP_TLS:
        printf("    r%d = (long)in_tls;\n", s->reg);
        break;
    case OP_SET:
        printf("    r%d = %d;\n", s->reg, s->value.number);
        break;
    case OP_ASSERT:
        print_c_condition("if (!", s, ") abort();");
        break;
    case OP_LOCK:
        printf("    pthread_mutex_lock(&mutexes[%d]); {\n", s->place);
        break;
    case OP_TRY:
    case OP_TIMED:
        printf("    if ((r%d = !pthread_mutex_%s(&mutexes[%d]%s))) {\n", s->reg,
               s->op == OP_TRY ? "trylock" : "timedlock", s->place,
               s->op == OP_TRY ? "" : ", &no_time");
        break;
    case OP_UNLOCK:
        printf("    pthread_mutex_unlock(&mutexes[%d]); }\n", s->place);
        break;
    case OP_LOOP:
        printf("    do {\n");
        break;
    case OP_UNTIL:
        print_c_condition("} while (!", s, ");");
        break;
    case OP_FOR:
        printf("    for (r%d = 0; r%d < %d; r%d++) {\n", s->reg, s->reg, s->value.number, s->reg);
        break;
    case OP_NEXT:
    case OP_END:
        printf("    }\n");
        break;
    case OP_IF:
        print_c_condition("if ", s, " {");
        break;
    case OP_BREAK:
        print_c_condition("if ", s, " break;");
        break;
    case OP_BARRIER:
        printf("    pthread_barrier_wait(&barrier);\n");
        break;
    case OP_CREATE:
        printf("    pthread_create(&handles[%d], NULL, p%d_%d, NULL);\n", s->place, number,
               class_of(p, s->place));
        break;
    case OP_JOIN:
        printf("    pthread_join(handles[%d], NULL);\n", s->place);
        break;
    default:
        if (t)
            printf("    tell(%d, r0, r1, r2, r3, r4, r5);\n", t);
        else
            printf("    tell_variables();\n");
    }
}

static bool has_step(const Code *code, int op)
{
    for (int i = 0; i < code->length; i++)
        if (code->step[i].op == op)
            return true;
    return false;
}

void print_program(const Program *p, int number)
{
    for (int t = p->threads - 1; t >= 0; t--) {
        const Code *code = &p->thread[t];
        if (t && class_of(p, t) != t)
            continue;
        printf("static void *p%d_%d(void *unused)\n{\n    long r0 = 0, r1 = 0, r2 = 0, r3 = 0, r4 "
               "= 0, r5 = 0, *at;\n",
               number, t);
        if (has_step(code, OP_STACK))
            printf("    long lent[%d] = {0};\n", FIELDS);
        if (!t) /* on the stack of main: joining in a row touches no other memory then */
            printf("    pthread_t handles[%d];\n", THREADS);
        if (!t && barrier_size(p))
            printf("    pthread_barrier_init(&barrier, NULL, %d);\n", barrier_size(p));
        for (int i = 0; i < code->length; i++)
            print_c_step(p, number, t, &code->step[i]);
        printf("    return unused;\n}\n");
    }
}

void print_end(int count)
{
    printf("static void *(*const programs[])(void *) = {");
    for (int i = 0; i < count; i++)
        printf("p%d_0, ", i);
    printf("};\n#include \"printed_main.h\"\n");
}
