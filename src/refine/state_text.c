#include "refine/state_text.h"

enum { DEEPEST = 12 }; /* nodes within nodes */

typedef struct Printer {
    const Program *program;
    const unsigned char *state;
    const StateNames *names;
    Buffer out;
    Vec(const unsigned char *) met; /* nodes, by their number less one */
} Printer;

static void print_value(Printer *p, const Type *type, const unsigned char *at, int depth);

static void print_fields(Printer *p, const Struct *structure, const unsigned char *at, int depth)
{
    buffer_printf(&p->out, "{");
    for (int i = 0; i < structure->field_count; i++) {
        const Field *field = &structure->fields[i];
        buffer_printf(&p->out, "%s%s: ", i ? ", " : "", field->name);
        print_value(p, field->type, at + field->offset, depth);
    }
    buffer_printf(&p->out, "}");
}

static void print_node(Printer *p, const Struct *structure, int64_t number, int depth)
{
    /* a node is a live byte and its fields */
    const unsigned char *node =
        p->state + structure->pool_offset + (number - 1) * (1 + structure->bytes);
    for (size_t i = 0; i < p->met.count; i++)
        if (p->met.at[i] == node) {
            buffer_printf(&p->out, "#%zu", i + 1);
            return;
        }
    vec_push(&p->met, node);
    buffer_printf(&p->out, "#%zu%s", p->met.count, node[0] ? "" : " (freed)");
    if (depth >= DEEPEST)
        buffer_printf(&p->out, "{...}");
    else
        print_fields(p, structure, node + 1, depth + 1);
}

/* The element of an array by thread that belongs to thread NUMBER of the counterexample. */
static int64_t element_of(const Printer *p, const Type *type, int64_t number)
{
    for (int64_t t = 0; t < type->count; t++)
        if (p->names->threads[t + 1] == number + 1)
            return t;
    return number;
}

static void print_array(Printer *p, const Type *type, const unsigned char *at, int depth)
{
    buffer_printf(&p->out, "[");
    for (int64_t i = 0; i < type->count; i++) {
        int64_t element = type->by_thread ? element_of(p, type, i) : i;
        buffer_printf(&p->out, "%s", i ? ", " : "");
        if (type->by_thread)
            buffer_printf(&p->out, "t%lld: ", (long long)i + 1);
        print_value(p, type->element, at + element * type->element->bytes, depth);
    }
    buffer_printf(&p->out, "]");
}

static void print_value(Printer *p, const Type *type, const unsigned char *at, int depth)
{
    if (type->kind == TYPE_STRUCT) {
        print_fields(p, type->structure, at, depth);
        return;
    }
    if (type->kind == TYPE_ARRAY) {
        print_array(p, type, at, depth);
        return;
    }
    int64_t value = program_load(type, at);
    if (type->kind == TYPE_REF && value) {
        print_node(p, type->structure, value, depth);
        return;
    }
    if (type->kind == TYPE_THREAD)
        value = p->names->threads[value];
    if (type->kind == TYPE_DATA && value && !(value = p->names->values[value & 0xFF])) {
        buffer_printf(&p->out, "?");
        return;
    }
    model_value_print(&p->out, type, value);
}

const char **state_texts(Arena *arena, const Program *program, const unsigned char *state,
                         const StateNames *names)
{
    const Module *module = program->module;
    const char **texts = arena_array_of(arena, const char *, (size_t)module->global_count + 1);
    Printer p = {.program = program, .state = state, .names = names};
    for (int i = 0; i < module->global_count; i++) {
        vec_clear(&p.out);
        print_value(&p, module->globals[i]->type, state + module->globals[i]->offset, 0);
        texts[i] = str_copy(arena, buffer_str(&p.out));
    }
    vec_free(&p.out);
    vec_free(&p.met);
    return texts;
}
