/* Sets, key-value stores, banks. Their states are sorted by word, so that equal contents are equal
 * states. Each element, key or account is a part of its own; only a bank's transfers join two. */
#include "judge/spec/builtin.h"
#include <stdlib.h>
#include <string.h>

/* The place of KEY among entries of STRIDE words, or where it belongs. */
static size_t find(const uint64_t *state, size_t words, size_t stride, uint64_t key, bool *found)
{
    size_t low = 0, high = words / stride;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (state[middle * stride] < key)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low * stride < words && state[low * stride] == key;
    return low * stride;
}

static int by_word(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* An operation that tells whether it changed something, where some logs only say "done". */
static void emit_told(SpecSteps *steps, const uint64_t *state, size_t words, size_t place,
                      size_t removed, const uint64_t *added_words, size_t added, Value result)
{
    spec_emit_edit(steps, state, words, place, removed, added_words, added, result);
    if (steps->call->result.word == VALUE_NONE.word ||
        value_kind(steps->spec->values, steps->call->result) == VALUE_IS_ECHO)
        spec_emit_edit(steps, state, words, place, removed, added_words, added, SPEC_DONE);
}

enum { SET_ADD, SET_REMOVE, SET_CONTAINS, SET_READ, SET_SIZE, SET_COUNT };
static const Method set_methods[SET_COUNT] = {
    [SET_ADD] = {"add|insert|put", 1, 1, METHOD_READS_FALSE},
    [SET_REMOVE] = {"remove|delete|erase", 1, 1, METHOD_READS_FALSE},
    [SET_CONTAINS] = {"contains|has|find|member|lookup", 1, 1, METHOD_READS | METHOD_TELLS},
    [SET_READ] = {"read|elements|snapshot|toarray", 0, 1, METHOD_READS | METHOD_WHOLE},
    [SET_SIZE] = {"size|length|count", 0, 0, METHOD_READS | METHOD_WHOLE}};

static void set_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                     SpecSteps *steps)
{
    bool inside = false;
    size_t place = 0;
    const uint64_t *element = NULL;
    if (call->method <= SET_CONTAINS) {
        element = &call->arguments[0].word;
        place = find(state, words, 1, *element, &inside);
    }
    switch (call->method) {
    case SET_ADD:
        emit_told(steps, state, words, place, 0, element, inside ? 0 : 1, value_bool(!inside));
        break;
    case SET_REMOVE:
        emit_told(steps, state, words, place, inside ? 1 : 0, NULL, 0, value_bool(inside));
        break;
    case SET_CONTAINS:
        spec_emit(steps, state, words, value_bool(inside));
        break;
    case SET_SIZE:
        spec_emit(steps, state, words, value_int(spec->values, (int64_t)words));
        break;
    default: { /* the order in which a log lists the elements does not matter */
        size_t count;
        const Value *items = value_items(spec->values, call->result, &count);
        Value given = value_array(spec->values, (const Value *)(const void *)state, words);
        if (items && count == words) {
            uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
            if (!sorted)
                die("out of memory");
            if (count) {
                memcpy(sorted, items, count * sizeof *sorted);
                qsort(sorted, count, sizeof *sorted, by_word);
            }
            if (!count || memcmp(sorted, state, count * sizeof *sorted) == 0)
                given = call->result;
            free(sorted);
        }
        spec_emit(steps, state, words, given);
    }
    }
}

/* How the number of elements changes by an operation that tells or not whether it changed it. */
static void told_change(const Spec *spec, const SpecCall *call, int sign, SpecFacts *facts)
{
    bool yes = value_means_true(spec->values, call->result);
    bool no = value_means_false(spec->values, call->result);
    int64_t certain = yes ? sign : 0, possible = no ? 0 : sign;
    facts->least_change = MIN(certain, possible);
    facts->most_change = MAX(certain, possible);
}

static bool set_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    facts->place = VALUE_UNKNOWN;
    switch (call->method) {
    case SET_ADD:
        told_change(spec, call, 1, facts);
        facts->puts = true; /* if it was refused, another put it */
        facts->put = call->arguments[0];
        break;
    case SET_REMOVE:
        told_change(spec, call, -1, facts);
        facts->hides = true;
        break;
    case SET_CONTAINS:
        facts->sees = value_means_true(spec->values, call->result);
        facts->seen = call->arguments[0];
        break;
    case SET_SIZE:
        model_observe(spec, call->result, 0, facts);
        break;
    default:
        facts->lists = !pending && value_kind(spec->values, call->result) >= VALUE_IS_ARRAY;
        facts->seen = call->result;
    }
    return true;
}

enum { KV_GET, KV_PUT, KV_APPEND, KV_CAS, KV_REMOVE, KV_CONTAINS, KV_INSERT, KV_SIZE, KV_COUNT };
static const Method kv_methods[KV_COUNT] = {
    [KV_GET] = {"get|read|lookup|find", 1, 1, METHOD_READS | METHOD_TAKES | METHOD_EXACT},
    [KV_PUT] = {"put|write|set|store", 2, 2, METHOD_PUTS | METHOD_OLD},
    [KV_APPEND] = {"append", 2, 2, METHOD_APPENDS},
    [KV_CAS] = {"cas|compare_and_set|compareandset|replace", 3, 3, METHOD_READS_FALSE},
    [KV_REMOVE] = {"remove|delete|erase|del", 1, 1,
                   METHOD_OLD}, /* 0 may be the value that was there */
    [KV_CONTAINS] = {"contains|containskey|contains_key|has", 1, 1, METHOD_READS | METHOD_TELLS},
    [KV_INSERT] = {"insert|add|putifabsent|put_if_absent|tryadd|try_add", 2, 2, METHOD_READS_FALSE},
    [KV_SIZE] = {"size|length|count", 0, 0, METHOD_READS | METHOD_WHOLE}};

static void kv_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                    SpecSteps *steps)
{
    Values *values = spec->values;
    if (call->method == KV_SIZE) {
        spec_emit(steps, state, words, value_int(values, (int64_t)words / 2));
        return;
    }
    Value key = call->arguments[0], nothing = value_of_symbol(0);
    bool found;
    size_t place = find(state, words, 2, key.word, &found);
    Value now = found ? (Value){state[place + 1]} : VALUE_NONE;
    uint64_t entry[2] = {key.word, call->count > 1 ? call->arguments[call->count - 1].word : 0};
    size_t old = found ? 2 : 0;
    bool matches;
    switch (call->method) {
    case KV_GET: /* a key never written reads as nothing, or as the empty string */
        spec_emit(steps, state, words, now);
        if (!found)
            spec_emit(steps, state, words, nothing);
        break;
    case KV_PUT: /* some libraries give the value before */
        spec_emit_edit(steps, state, words, place, old, entry, 2, SPEC_DONE);
        if (found)
            spec_emit_edit(steps, state, words, place, old, entry, 2, now);
        break;
    case KV_APPEND: {
        bool text = value_kind(values, call->arguments[1]) == VALUE_IS_STRING;
        Value base = found ? now : text ? nothing : VALUE_NONE;
        entry[1] = value_concat(values, base, call->arguments[1]).word;
        spec_emit_edit(steps, state, words, place, old, entry, 2, SPEC_DONE);
        break;
    }
    case KV_CAS:
        matches = value_equal(now, call->arguments[1]) ||
                  (!found && value_equal(call->arguments[1], nothing));
        if (matches)
            emit_told(steps, state, words, place, old, entry, 2, VALUE_TRUE);
        else
            spec_emit(steps, state, words, VALUE_FALSE);
        break;
    case KV_REMOVE: /* true or false, or the value that was there */
        emit_told(steps, state, words, place, old, NULL, 0, value_bool(found));
        spec_emit_edit(steps, state, words, place, old, NULL, 0, now);
        break;
    case KV_CONTAINS:
        spec_emit(steps, state, words, value_bool(found));
        break;
    default:
        if (found)
            emit_told(steps, state, words, place, 0, NULL, 0, VALUE_FALSE);
        else
            emit_told(steps, state, words, place, 0, entry, 2, VALUE_TRUE);
    }
}

static bool kv_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    Values *values = spec->values;
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    bool nothing =
        call->result.word == VALUE_NONE.word || call->result.word == value_of_symbol(0).word;
    bool refused = !pending && value_means_false(values, call->result);
    facts->place = call->count ? call->arguments[0] : VALUE_UNKNOWN;
    facts->put = call->count > 1 ? call->arguments[call->count - 1] : VALUE_UNKNOWN;
    switch (call->method) {
    case KV_GET:
        facts->sees = !pending && !nothing;
        facts->seen = call->result;
        break;
    case KV_PUT:
        facts->puts = true;
        facts->most_change = 1;
        break;
    case KV_APPEND:
        facts->hides = true;
        facts->most_change = 1;
        break;
    case KV_CAS:
        facts->puts = !refused;
        facts->most_change = refused ? 0 : 1;
        facts->sees = !pending && !refused && call->arguments[1].word != VALUE_NONE.word &&
                      call->arguments[1].word != value_of_symbol(0).word;
        facts->seen = call->arguments[1];
        break;
    case KV_REMOVE:
        facts->least_change = -1; /* 0 and false may be the value that was there */
        break;
    case KV_INSERT:
        told_change(spec, call, 1, facts);
        facts->puts = !refused;
        break;
    case KV_SIZE:
        model_observe(spec, call->result, 0, facts);
        break;
    default:
        break;
    }
    return true;
}

static void kv_print(const Spec *spec, const uint64_t *state, size_t words, Buffer *out)
{
    buffer_append(out, "{", 1);
    for (size_t i = 0; i < words; i += 2) {
        if (i)
            buffer_append(out, ", ", 2);
        if (i == 32) {
            buffer_printf(out, "... %zu more", (words - i) / 2);
            break;
        }
        value_print(spec->values, (Value){state[i]}, out);
        buffer_append(out, ": ", 2);
        value_print(spec->values, (Value){state[i + 1]}, out);
    }
    buffer_append(out, "}", 1);
}

/* Transactions over several keys: [[f key value], ...] with f r (read), w (write) or append; the
 * result is the same list with what was read filled in. A history of them is linearizable exactly
 * if it is strictly serializable. Keys hold nothing at first, or the value
 * that transactions:VALUE names. */
enum { TRANSACTION_RUN, TRANSACTION_COUNT };
static const Method transaction_methods[TRANSACTION_COUNT] = {
    [TRANSACTION_RUN] = {"txn|transaction|transact", 1, 1, METHOD_GIVES | METHOD_EXACT}};
enum { STEP_READ, STEP_WRITE, STEP_APPEND, STEP_NONE };

static int transaction_step_kind(const Spec *spec, Value name)
{
    static const char *const names[] = {"r", "w", "append"};
    Str text = value_text(spec->values, name);
    if (text.length && text.at[0] == ':')
        text = (Str){text.at + 1, text.length - 1};
    int kind = 0;
    while (kind < STEP_NONE && !str_is(text, names[kind]))
        kind++;
    return kind;
}

static const char *transaction_reject(const Spec *spec, const SpecCall *call)
{
    size_t count, parts;
    const Value *steps = value_items(spec->values, call->arguments[0], &count);
    for (size_t i = 0; i < count; i++) {
        const Value *step = value_items(spec->values, steps[i], &parts);
        if (parts != 3 || transaction_step_kind(spec, step[0]) == STEP_NONE)
            return "a transaction is a list of [f key value] with f r, w or append";
    }
    return steps ? NULL : "a transaction is a list of [f key value] with f r, w or append";
}

/* Does step I of the call give the empty list where NOW there is nothing? That is how some stores
 * read a list that nobody appended to yet. */
static bool is_unborn_list(const Spec *spec, const SpecCall *call, size_t i, Value now)
{
    size_t count, parts, items;
    const Value *results = value_items(spec->values, call->result, &count);
    const Value *step = i < count ? value_items(spec->values, results[i], &parts) : NULL;
    if (now.word != VALUE_NONE.word || !step || parts != 3)
        return false;
    value_items(spec->values, step[2], &items);
    return !items && value_kind(spec->values, step[2]) == VALUE_IS_ARRAY;
}

static void transaction_step(const Spec *spec, const uint64_t *state, size_t words,
                             const SpecCall *call, SpecSteps *steps)
{
    Values *values = spec->values;
    size_t count, parts;
    value_items(values, call->arguments[0], &count);
    uint64_t *next = malloc((words + 2 * count + 1) * sizeof *next);
    Value *result = malloc((count + 1) * sizeof *result);
    if (!next || !result)
        die("out of memory");
    if (words)
        memcpy(next, state, words * sizeof *next);
    for (size_t i = 0; i < count; i++) {
        Value step[3]; /* a copy: interning moves things */
        memcpy(step,
               value_items(values, value_items(values, call->arguments[0], &count)[i], &parts),
               sizeof step);
        bool found;
        size_t place = find(next, words, 2, step[1].word, &found);
        Value now = found ? (Value){next[place + 1]} : model_data(spec)->start;
        int kind = transaction_step_kind(spec, step[0]);
        if (kind == STEP_READ) {
            step[2] = is_unborn_list(spec, call, i, now) ? value_array(values, NULL, 0) : now;
        } else {
            if (!found) {
                memmove(next + place + 2, next + place, (words - place) * sizeof *next);
                next[place] = step[1].word;
                words += 2;
            }
            bool text = value_kind(values, step[2]) == VALUE_IS_STRING;
            Value written = kind == STEP_WRITE ? step[2]
                            : now.word != VALUE_NONE.word || found || !text
                                ? value_concat(values, now, step[2])
                                : step[2];
            next[place + 1] = written.word;
        }
        result[i] = value_array(values, step, 3);
    }
    spec_emit(steps, next, words, value_array(values, result, count));
    free(next);
    free(result);
}

enum { BANK_READ, BANK_TRANSFER, BANK_DEPOSIT, BANK_WITHDRAW, BANK_BALANCE, BANK_COUNT };
static const Method bank_methods[BANK_COUNT] = {
    [BANK_READ] = {"read|balances|snapshot", 0, 1, METHOD_READS},
    [BANK_TRANSFER] = {"transfer|move", 3, 3, METHOD_READS_FALSE | METHOD_INTEGER},
    [BANK_DEPOSIT] = {"deposit|add", 2, 2, METHOD_INTEGER},
    [BANK_WITHDRAW] = {"withdraw|remove", 2, 2, METHOD_READS_FALSE | METHOD_INTEGER},
    [BANK_BALANCE] = {"balance|get", 1, 1, METHOD_READS | METHOD_INTEGER}};

/* bank:8x10 is 8 accounts, 0 to 7, of 10 each. */
static bool bank_configure(Spec *spec, Arena *arena, Str text)
{
    Str rest = text, piece;
    int64_t accounts, each;
    if (!str_next(&rest, 'x', &piece) || !str_to_int64(piece, &accounts) || !rest.at ||
        !str_to_int64(rest, &each) || accounts < 0 || accounts > 10000 || each < 0 ||
        each > INT64_MAX / 100000)
        return false;
    ModelData *data = arena_new_of(arena, ModelData);
    *data = *model_data(spec);
    data->count = accounts;
    data->start = value_int(spec->values, each);
    spec->data = data;
    return true;
}

/* Accounts that hold nothing and were not set up are not in the state. */
static void bank_initial(const Spec *spec, SpecSteps *steps)
{
    const ModelData *data = model_data(spec);
    size_t count = (size_t)data->count;
    uint64_t *words = calloc(2 * count + 1, sizeof *words);
    if (!words)
        die("out of memory");
    for (size_t i = 0; i < count; i++) {
        words[2 * i] = value_int(spec->values, (int64_t)i).word;
        words[2 * i + 1] = data->start.word;
    }
    spec_emit(steps, words, data->start.word == VALUE_NONE.word ? 0 : 2 * count, SPEC_DONE);
    free(words);
}

/* GUESS: where the account may be, so that it need not be looked for. */
static int64_t balance_at(const Spec *spec, const uint64_t *state, size_t words, Value account,
                          size_t guess)
{
    bool found = guess < words && state[guess] == account.word;
    size_t place = found ? guess : find(state, words, 2, account.word, &found);
    int64_t number = 0;
    if (found)
        value_to_int(spec->values, (Value){state[place + 1]}, &number);
    return number;
}

static int64_t bank_balance(const Spec *spec, const uint64_t *state, size_t words, Value account)
{
    return balance_at(spec, state, words, account, SIZE_MAX);
}

/* Does RESULT list these balances: [balance, ...] of accounts 0.., or [account, balance, ...]? */
static bool bank_lists(const Spec *spec, const uint64_t *state, size_t words, Value result)
{
    size_t count;
    const Value *items = value_items(spec->values, result, &count);
    if (!items)
        return false;
    int64_t number, listed = 0, total = 0;
    bool plain = value_kind(spec->values, result) != VALUE_IS_MAP, pairs = count % 2 == 0;
    int64_t plain_total = 0;
    for (size_t i = 0; i < count; i++) {
        if ((!plain && !pairs) || !value_to_int(spec->values, items[i], &number))
            return false;
        plain = plain && number == balance_at(spec, state, words,
                                              value_int(spec->values, (int64_t)i), 2 * i);
        plain_total += number;
        if (pairs && i % 2) {
            pairs = number == balance_at(spec, state, words, items[i - 1], i - 1);
            listed += number;
        }
    }
    for (size_t i = 0; i < words && (plain || pairs); i += 2) {
        int64_t balance = 0;
        value_to_int(spec->values, (Value){state[i + 1]}, &balance);
        total += balance;
    }
    return (plain && plain_total == total) || (pairs && listed == total);
}

static size_t bank_add(const Spec *spec, uint64_t *state, size_t words, Value account,
                       int64_t amount)
{
    bool found;
    size_t place = find(state, words, 2, account.word, &found);
    int64_t now = bank_balance(spec, state, words, account);
    bool set_up = found && model_data(spec)->count;
    if (!found) {
        memmove(state + place + 2, state + place, (words - place) * sizeof *state);
        state[place] = account.word;
        words += 2;
    }
    state[place + 1] = value_int(spec->values, now + amount).word;
    if (now + amount == 0 && !set_up) { /* nothing in it: as if never named */
        memmove(state + place, state + place + 2, (words - place - 2) * sizeof *state);
        words -= 2;
    }
    return words;
}

static void bank_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                      SpecSteps *steps)
{
    int64_t amount = 0;
    if (call->count > 1)
        value_to_int(spec->values, call->arguments[call->count - 1], &amount);
    if (call->method == BANK_READ) {
        if (bank_lists(spec, state, words, call->result))
            spec_emit(steps, state, words, call->result);
        else if (call->result.word == VALUE_UNKNOWN.word) /* else it lists something else */
            spec_emit(steps, state, words,
                      value_array(spec->values, (const Value *)(const void *)state, words));
        return;
    }
    if (call->method == BANK_BALANCE) {
        spec_emit(steps, state, words,
                  value_int(spec->values, bank_balance(spec, state, words, call->arguments[0])));
        return;
    }
    bool takes = call->method != BANK_DEPOSIT;
    if (amount < 0 || (takes && bank_balance(spec, state, words, call->arguments[0]) < amount)) {
        spec_emit(steps, state, words, VALUE_FALSE);
        return;
    }
    uint64_t *next = malloc((words + 4) * sizeof *next);
    if (!next)
        die("out of memory");
    if (words)
        memcpy(next, state, words * sizeof *next);
    size_t count = bank_add(spec, next, words, call->arguments[0], takes ? -amount : amount);
    if (call->method == BANK_TRANSFER)
        count = bank_add(spec, next, count, call->arguments[1], amount);
    spec_emit(steps, next, count, VALUE_TRUE);
    spec_emit(steps, next, count, SPEC_DONE);
    free(next);
}

/* The number is the sum of all accounts. */
static bool bank_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    int64_t amount = 0, number;
    facts->place = VALUE_UNKNOWN;
    if (call->count > 1)
        value_to_int(spec->values, call->arguments[call->count - 1], &amount);
    bool refused = (!pending && value_means_false(spec->values, call->result)) || amount < 0;
    if (call->method == BANK_DEPOSIT && !refused)
        facts->least_change = facts->most_change = amount;
    if (call->method == BANK_WITHDRAW && !refused)
        facts->least_change = facts->most_change = -amount;
    if (call->method != BANK_READ || pending)
        return true;
    size_t count;
    const Value *items = value_items(spec->values, call->result, &count);
    if (!items || count > 100000)
        return true;
    int64_t plain = 0, pairs = 0; /* [balance, ...] or [account, balance, ...] */
    for (size_t i = 0; i < count; i++) {
        if (!value_to_int(spec->values, items[i], &number) || number > INT64_MAX / 1000000 ||
            number < INT64_MIN / 1000000)
            return true;
        plain += number;
        pairs += i % 2 ? number : 0;
    }
    facts->observes = true;
    facts->least = count % 2 ? plain : MIN(plain, pairs);
    facts->most = count % 2 ? plain : MAX(plain, pairs);
    if (value_kind(spec->values, call->result) == VALUE_IS_MAP)
        facts->least = facts->most = pairs;
    return true;
}

static int64_t bank_number(const Spec *spec)
{
    const ModelData *data = model_data(spec);
    int64_t each = 0;
    value_to_int(spec->values, data->start, &each);
    return data->count * each;
}

static void tell_amount(SpecAmounts *amounts, Value place, int64_t change)
{
    vec_push(amounts, (SpecAmount){.place = place,
                                   .change = change,
                                   .least = -SPEC_AMOUNT_ANY,
                                   .most = SPEC_AMOUNT_ANY});
}

/* The balances that a read gave: [balance, ...] of accounts 0.., or [account, balance, ...]. */
static bool tell_balances(const Spec *spec, Value result, int reading, SpecAmounts *amounts)
{
    size_t count;
    const Value *items = value_items(spec->values, result, &count);
    bool map = value_kind(spec->values, result) == VALUE_IS_MAP;
    if (!items || (reading == 0 ? map : count % 2))
        return false;
    for (size_t i = (size_t)reading; i < count; i += (size_t)reading + 1) {
        int64_t number;
        if (!value_to_int(spec->values, items[i], &number) || number > INT64_MAX / 4 ||
            number < INT64_MIN / 4)
            return false;
        tell_amount(amounts, reading ? items[i - 1] : value_int(spec->values, (int64_t)i), 0);
        vec_last(amounts).least = vec_last(amounts).most = number;
    }
    return true;
}

/* Tells what a call does to each account. */
static bool bank_amounts(const Spec *spec, const SpecCall *call, int reading, SpecAmounts *amounts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    int64_t amount = 0;
    if (call->method == BANK_READ)
        return pending ? reading == 0 : tell_balances(spec, call->result, reading, amounts);
    if (reading)
        return false;
    if (call->method == BANK_BALANCE) {
        tell_amount(amounts, call->arguments[0], 0);
        if (!pending && value_to_int(spec->values, call->result, &amount) &&
            amount < INT64_MAX / 4 && amount > INT64_MIN / 4)
            vec_last(amounts).least = vec_last(amounts).most = amount;
        return true;
    }
    value_to_int(spec->values, call->arguments[call->count - 1], &amount);
    if (amount < 0)
        return true; /* it is refused, whatever there is */
    bool refused = !pending && value_means_false(spec->values, call->result);
    int64_t moved = refused ? 0 : amount;
    if (call->method != BANK_DEPOSIT) {
        bool same =
            call->method == BANK_TRANSFER && value_equal(call->arguments[0], call->arguments[1]);
        tell_amount(amounts, call->arguments[0], same ? 0 : -moved);
        if (refused)
            vec_last(amounts).most = amount - 1;
        else if (!pending)
            vec_last(amounts).least = amount;
        if (same || call->method == BANK_WITHDRAW)
            return true;
    }
    tell_amount(amounts, call->arguments[call->count - 2], moved);
    return true;
}

static int64_t bank_start(const Spec *spec, Value place)
{
    const ModelData *data = model_data(spec);
    int64_t account = -1, each = 0;
    if (value_kind(spec->values, place) == VALUE_IS_INT)
        value_to_int(spec->values, place, &account);
    if (account >= 0 && account < data->count)
        value_to_int(spec->values, data->start, &each);
    return each;
}

const BuiltinModel spec_map_models[] = {
    {"transactions",
     "registers and lists by key, several in a transaction: strict serializability "
     "(transactions:0: "
     "registers that hold 0 at first)",
     "txn([[r key nil], [w key v], [append key v], ...])", transaction_methods, TRANSACTION_COUNT,
     false, SPEC_SHAPE_OTHER, model_configure_value, model_initial_empty, transaction_step,
     kv_print, NULL, NULL, transaction_reject, NULL, NULL},
    {"set", "set", "add(v), remove(v), contains(v), read(), size()", set_methods, SET_COUNT, true,
     SPEC_SHAPE_OTHER, NULL, model_initial_empty, set_step, model_print_values, set_facts, NULL,
     NULL, NULL, NULL},
    {"kv", "key-value store",
     "get(k), put(k, v), append(k, v), cas(k, old, new), remove(k), contains(k), insert(k, v), "
     "size()",
     kv_methods, KV_COUNT, true, SPEC_SHAPE_LOG, NULL, model_initial_empty, kv_step, kv_print,
     kv_facts, NULL, NULL, NULL, NULL},
    {"map", "map from keys to values: the same as kv",
     "get(k), put(k, v), append(k, v), cas(k, old, new), remove(k), contains(k), insert(k, v), "
     "size()",
     kv_methods, KV_COUNT, true, SPEC_SHAPE_LOG, NULL, model_initial_empty, kv_step, kv_print,
     kv_facts, NULL, NULL, NULL, NULL},
    {"bank", "accounts with transfers between them (bank:8x10: 8 accounts of 10 each)",
     "read(), transfer(from, to, amount), deposit(a, amount), withdraw(a, amount), balance(a)",
     bank_methods, BANK_COUNT, false, SPEC_SHAPE_OTHER, bank_configure, bank_initial, bank_step,
     kv_print, bank_facts, bank_number, NULL, bank_amounts, bank_start},
};
const size_t spec_map_model_count = COUNT_OF(spec_map_models);
