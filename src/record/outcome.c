#include "record/outcome.h"
#include <stdio.h>
#include <string.h>
#include "record/kinds.h"

/* ---- writing ---- */

/* Takes BYTES of the room, or as many as there are. Other processes may do so, too. */
static OutcomePiece take_room(OutcomeMessage *message, size_t bytes)
{
    uint32_t wanted = (uint32_t)MIN(bytes, OUTCOME_ROOM);
    uint32_t at = __atomic_fetch_add(&message->used, wanted, __ATOMIC_RELAXED);
    if (at >= OUTCOME_ROOM) {
        __atomic_store_n(&message->used, OUTCOME_ROOM, __ATOMIC_RELAXED);
        return (OutcomePiece){0};
    }
    return (OutcomePiece){.at = at, .most = MIN(wanted, OUTCOME_ROOM - at)};
}

void outcome_raise(uint64_t *number, uint64_t value)
{
    uint64_t now = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (now < value && !__atomic_compare_exchange_n(number, &now, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        ;
}

void outcome_put(OutcomeMessage *message, OutcomeText key, Str text)
{
    OutcomePiece *piece = &message->pieces[key];
    if (text.length > piece->most)
        *piece = take_room(message, text.length);
    piece->bytes = MIN((uint32_t)text.length, piece->most);
    if (piece->bytes)
        memcpy(message->room + piece->at, text.at, piece->bytes);
}

void outcome_say_list(OutcomeMessage *message, OutcomeText key, const char *format,
                      va_list arguments)
{
    char text[4096];
    int length = vsnprintf(text, sizeof text, format, arguments);
    outcome_put(message, key, (Str){text, MIN((size_t)MAX(length, 0), sizeof text - 1)});
}

void outcome_say(OutcomeMessage *message, OutcomeText key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome_say_list(message, key, format, arguments);
    va_end(arguments);
}

void outcome_clear_texts(OutcomeMessage *message)
{
    memset(message->pieces, 0, sizeof message->pieces);
    message->used = 0;
}

void outcome_error(OutcomeMessage *message, const Error *error)
{
    char text[sizeof error->message + sizeof error->file + 32];
    error_text(error, text, sizeof text);
    message->input_error = 1;
    outcome_say(message, OUTCOME_reason, "%s", text);
}

Str outcome_text(const OutcomeMessage *message, OutcomeText key)
{
    OutcomePiece piece = message->pieces[key]; /* of which the program may have made anything */
    if (piece.at >= OUTCOME_ROOM)
        return (Str){0};
    return (Str){message->room + piece.at, MIN(piece.bytes, OUTCOME_ROOM - piece.at)};
}

void outcome_copy_texts(OutcomeMessage *to, const OutcomeMessage *from)
{
    for (int key = 0; key < OUTCOME_TEXT_COUNT; key++)
        if (from->pieces[key].bytes)
            outcome_put(to, (OutcomeText)key, outcome_text(from, (OutcomeText)key));
}

/* ---- serial orders: numbers, and before each text its length ---- */

static void encode_number(Buffer *text, uint32_t number)
{
    buffer_append(text, &number, sizeof number);
}

void outcome_encode_order(Buffer *text, const OutcomeOrder *order)
{
    encode_number(text, order->count);
    for (uint32_t i = 0; i < order->count; i++)
        encode_number(text, order->calls[i]);
    encode_number(text, order->refused_count);
    for (uint32_t i = 0; i < order->refused_count; i++) {
        Str why = str_of(order->refused[i].why);
        encode_number(text, order->refused[i].call);
        encode_number(text, (uint32_t)why.length);
        buffer_append(text, why.at, why.length);
    }
}

/* Takes BYTES off the front of *REST; NULL if it has not that many. */
static const char *decode(Str *rest, size_t bytes)
{
    if (bytes > rest->length)
        return NULL;
    const char *at = rest->at;
    *rest = (Str){at + bytes, rest->length - bytes};
    return at;
}

/* A count of things that take at least EACH bytes behind it. */
static bool decode_number(Str *rest, size_t each, uint32_t *number)
{
    const char *at = decode(rest, sizeof *number);
    if (at)
        memcpy(number, at, sizeof *number);
    return at && *number <= rest->length / MAX(each, 1u) + (each ? 0 : UINT32_MAX);
}

static bool decode_order(Arena *arena, Str *rest, OutcomeOrder *order)
{
    const size_t word = sizeof(uint32_t);
    *order = (OutcomeOrder){0};
    if (!decode_number(rest, word, &order->count))
        return false;
    uint32_t *calls = arena_array_of(arena, uint32_t, order->count + 1);
    for (uint32_t i = 0; i < order->count; i++)
        if (!decode_number(rest, 0, &calls[i]))
            return false;
    order->calls = calls;
    if (!decode_number(rest, 2 * word, &order->refused_count))
        return false;
    OutcomeRefused *refused = arena_array_of(arena, OutcomeRefused, order->refused_count + 1);
    for (uint32_t i = 0; i < order->refused_count; i++) {
        uint32_t length;
        if (!decode_number(rest, 0, &refused[i].call) || !decode_number(rest, 1, &length))
            return false;
        const char *why = decode(rest, length);
        refused[i].why = length ? arena_copy(arena, why, strnlen(why, length)) : NULL;
    }
    order->refused = refused;
    return true;
}

/* Decodes the orders; those of a text that was cut off count as far as they are whole. */
static void decode_orders(Arena *arena, Str text, Outcome *out)
{
    Vec(OutcomeOrder) orders = {0};
    OutcomeOrder order;
    while (text.length && decode_order(arena, &text, &order))
        vec_push(&orders, order);
    out->order_count = (uint32_t)orders.count;
    out->orders = (const void *)arena_copy(arena, orders.at, sizeof order * orders.count);
    vec_free(&orders);
}

/* ---- reading ---- */

void outcome_read(Arena *arena, const OutcomeMessage *message, Outcome *out)
{
#define X(field, meaning) .field = message->field,
    *out = (Outcome){OUTCOME_NUMBERS(X)};
#undef X
    memcpy(out->reductions, message->reductions, sizeof out->reductions);
    if (out->verdict > VERDICT_INCONCLUSIVE)
        out->verdict = VERDICT_INCONCLUSIVE;
    if (out->violation >= VIOLATION_KIND_COUNT)
        out->violation = VIOLATION_NONE;
#define X(field, meaning)                                                                          \
    Str field = outcome_text(message, OUTCOME_##field);                                            \
    if (field.length)                                                                              \
        out->field = arena_copy(arena, field.at, strnlen(field.at, field.length));
    OUTCOME_TEXTS(X)
#undef X
    decode_orders(arena, outcome_text(message, OUTCOME_orders), out);
}
