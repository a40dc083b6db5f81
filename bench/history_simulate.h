/* history_simulate.h: histories of a correct object, for measurements and tests: a simulation in
 * which every client is always busy. At each moment a random client goes one step on, from call to
 * effect to return, so that about as many operations overlap as there are clients. */
#ifndef HEDDLE_BENCH_HISTORY_SIMULATE_H
#define HEDDLE_BENCH_HISTORY_SIMULATE_H
#include "judge/history/history.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Client {
    int stage; /* 0 idle, 1 called, 2 done */
    int method;
    Value key, value, result;
} Client;

typedef struct Simulation {
    Values *values;
    Random random;
    History *history;
    HistoryBuilder builder;
    Client clients[64];
    int kind;
    Vec(Value) items;
    size_t head;
    Value cells[64];
    int64_t next;
    long slack; /* quasi: a take may give any of the slack + 1 that are first in turn */
} Simulation;

enum { SIM_QUEUE, SIM_STACK, SIM_REGISTER, SIM_KV, SIM_SET, SIM_PRIORITY, SIM_KINDS };
static const char *const sim_kinds[] = {"queue", "stack", "register", "kv", "set", "priority"};
static const char *const sim_specs[] = {"fifo", "lifo", "register", "kv", "set", "priority-queue"};
static const char *const sim_names[][3] = {
    {"enq", "deq", ""},       {"push", "pop", ""},           {"write", "read", ""},
    {"put", "get", "append"}, {"add", "remove", "contains"}, {"insert", "deqmin", ""}};

static void choose(Simulation *s, Client *client)
{
    client->method = (int)random_below(&s->random, 2);
    client->key = VALUE_UNKNOWN;
    char text[32];
    if (s->kind == SIM_KV) { /* as in the logs of Porcupine: appends and gets, few puts */
        uint64_t pick = random_below(&s->random, 100);
        client->method = pick < 5 ? 0 : pick < 50 ? 1 : 2;
        snprintf(text, sizeof text, "%d", (int)random_below(&s->random, 10));
        client->key = value_string(s->values, str_of(text));
        snprintf(text, sizeof text, "x %lld y", (long long)s->next++);
        client->value = value_string(s->values, str_of(text));
    } else if (s->kind == SIM_SET) {
        client->method = (int)random_below(&s->random, 3);
        client->value = value_int(s->values, (int64_t)random_below(&s->random, 64));
    } else if (client->method == 0) {
        ++s->next; /* a priority queue gets different ones in no order: 337 has an inverse */
        client->value =
            value_int(s->values, s->kind == SIM_PRIORITY ? s->next * 337 % 1009 : s->next);
    }
}

static void take_effect(Simulation *s, Client *client)
{
    client->result = VALUE_NONE;
    int64_t number;
    if (s->kind == SIM_KV) {
        Str key = value_text(s->values, client->key);
        Value *cell = &s->cells[key.at[0] - '0'];
        if (client->method == 1)
            client->result = *cell;
        else
            *cell =
                client->method == 0 ? client->value : value_concat(s->values, *cell, client->value);
    } else if (s->kind == SIM_SET) {
        value_to_int(s->values, client->value, &number);
        Value *cell = &s->cells[number];
        bool inside = value_equal(*cell, VALUE_TRUE);
        client->result = value_bool(client->method == 0 ? !inside : inside);
        if (client->method < 2)
            *cell = value_bool(client->method == 0);
    } else if (s->kind == SIM_REGISTER) {
        if (client->method == 0)
            s->cells[0] = client->value;
        else
            client->result = s->cells[0];
    } else if (client->method == 0) {
        vec_push(&s->items, client->value);
        for (size_t i = s->items.count - 1; s->kind == SIM_PRIORITY && i > s->head; i--) {
            Value *pair = &s->items.at[i - 1], last = pair[1];
            if (value_compare(s->values, pair[0], last) <= 0)
                break;
            pair[1] = pair[0];
            pair[0] = last;
        }
    } else if (s->head < s->items.count) {
        size_t inside = s->items.count - s->head, skipped = 0;
        if (s->slack)
            skipped = random_below(&s->random, MIN((uint64_t)s->slack + 1, inside));
        if (s->kind == SIM_STACK) {
            size_t at = s->items.count - 1 - skipped;
            client->result = s->items.at[at];
            memmove(s->items.at + at, s->items.at + at + 1, skipped * sizeof(Value));
            s->items.count--;
        } else {
            client->result = s->items.at[s->head + skipped];
            memmove(s->items.at + s->head + 1, s->items.at + s->head, skipped * sizeof(Value));
            s->head++;
        }
    }
}

static History *simulate(Values *values, int kind, long operations, int clients, uint64_t seed,
                         long slack)
{
    Simulation s = {.values = values, .random = {seed}, .kind = kind, .slack = slack};
    s.history = history_new(values);
    history_build(&s.builder, s.history, "synthetic");
    for (int i = 0; i < 64; i++)
        s.cells[i] = kind == SIM_KV    ? value_of_symbol(0)
                     : kind == SIM_SET ? VALUE_FALSE
                                       : VALUE_NONE;
    bool ok = true;
    for (long called = 0, open = 0; called < operations || open;) {
        int process = (int)random_below(&s.random, (uint64_t)clients);
        Client *client = &s.clients[process];
        if (client->stage == 0) {
            if (called == operations)
                continue;
            choose(&s, client);
            Value arguments[2];
            size_t count = 0;
            if (client->key.word != VALUE_UNKNOWN.word)
                arguments[count++] = client->key;
            if (kind == SIM_SET || client->method == 0 || client->method == 2)
                arguments[count++] = client->value;
            uint32_t name =
                value_symbol(values, value_string(values, str_of(sim_names[kind][client->method])));
            ok = ok && history_call(&s.builder, value_int(values, process), name, 0, arguments,
                                    count, (uint32_t)called + 1, NULL);
            called++;
            open++;
        } else if (client->stage == 1) {
            take_effect(&s, client);
        } else {
            ok = ok &&
                 history_return(&s.builder, value_int(values, process), 0, client->result, 0, NULL);
            open--;
        }
        client->stage = (client->stage + 1) % 3;
    }
    if (!ok)
        exit(4);
    history_finish(&s.builder);
    vec_free(&s.items);
    return s.history;
}
#endif
