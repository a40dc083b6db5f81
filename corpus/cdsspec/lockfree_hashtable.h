/* The lock-free hash table of C. Click (A Lock-Free Hash Table, JavaOne 2007; NonBlockingHashMap), in C11, with get and
 * put. Keys are positive numbers, values are pointers. A slot's key is claimed once and for ever; its value changes by
 * compare-exchange. When no slot is left, a larger table is hung to the present one, and the slots are copied: an empty
 * slot gets a dead key; a value is marked (nobody changes it from then on), put into the new table unless a newer value
 * is there, and then declared to be gone. Whoever meets a marked value helps with that slot; whoever needs room with
 * all. Tables are given back at the end. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef HT_SIZE
#define HT_SIZE 8
#endif

enum { HT_NO_KEY = 0, HT_DEAD_KEY = -1 };
enum { HT_MARK = 1, HT_GONE = HT_MARK }; /* of values; gone: no value, and marked */

struct ht_slot {
    atomic_int key;
    _Atomic(uintptr_t) value; /* a pointer or NULL, perhaps marked */
};
struct ht_table {
    int size;
    _Atomic(struct ht_table *) next; /* the larger one that takes its place */
    struct ht_slot slots[];
};

/** @Structure_Define:
    @DeclareVar: int *_map[16];
    @InitVar: for (int _i = 0; _i < 16; _i++) _map[_i] = 0;
    @Happens_Before: Put -> Get(Found) Put -> Put(Replaces) */
struct hashtable {
    _Atomic(struct ht_table *) top;
    struct ht_table *first;
};

static inline struct ht_table *ht_table_new(int size)
{
    struct ht_table *table = malloc(sizeof *table + (size_t)size * sizeof(struct ht_slot));
    table->size = size;
    atomic_init(&table->next, NULL);
    for (int i = 0; i < size; i++) {
        atomic_init(&table->slots[i].key, HT_NO_KEY);
        atomic_init(&table->slots[i].value, 0);
    }
    return table;
}

static inline void ht_init(struct hashtable *map)
{
    map->first = ht_table_new(HT_SIZE);
    atomic_init(&map->top, map->first);
}

static inline void ht_destroy(struct hashtable *map)
{
    for (struct ht_table *table = map->first, *next; table; table = next) {
        next = atomic_load_explicit(&table->next, memory_order_relaxed);
        free(table);
    }
}

/* The table that takes the place of TABLE, made if there is none. */
static inline struct ht_table *ht_next_table(struct ht_table *table)
{
    struct ht_table *next = NULL;
    while (!next) {
        next = atomic_load_explicit(&table->next, memory_order_acquire);
        /** @Ordering_Point_Label_Check: next != NULL
            @Label: Put_Grown */
        struct ht_table *none = NULL, *fresh = next ? NULL : ht_table_new(2 * table->size);
        if (!next && !atomic_compare_exchange_strong_explicit(&table->next, &none, fresh, memory_order_release,
                                                              memory_order_relaxed))
            free(fresh);
    }
    return next;
}

static inline uintptr_t ht_insert(struct hashtable *map, struct ht_table *table, int key, uintptr_t value,
                                  bool only_if_absent);

/* Moves a slot to the NEXT table, or finds that this is done. */
/** @Method: Copy
    @Ordering_Point_Set: Copy_Key | Copy_Old | Copy_New
    @ID: slot */
static inline void ht_copy_slot(struct hashtable *map, struct ht_slot *slot, struct ht_table *next)
{
    int key = HT_NO_KEY;
    bool dead = atomic_compare_exchange_strong_explicit(&slot->key, &key, HT_DEAD_KEY, memory_order_relaxed,
                                                        memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Copy_Key */
    if (dead || key == HT_DEAD_KEY)
        return;
    uintptr_t value = 0;
    while (!(value & HT_MARK)) {
        value = atomic_load_explicit(&slot->value, memory_order_acquire);
        /** @Ordering_Point_Label_Check: value & HT_MARK
            @Label: Copy_Old */
        uintptr_t expected = value;
        if (!(value & HT_MARK))
            atomic_compare_exchange_strong_explicit(&slot->value, &expected, value | HT_MARK, memory_order_relaxed,
                                                    memory_order_relaxed);
    }
    if (value == HT_GONE)
        return;
    ht_insert(map, next, key, value & ~(uintptr_t)HT_MARK, true);
    atomic_compare_exchange_strong_explicit(&slot->value, &value, HT_GONE, memory_order_release,
                                            memory_order_relaxed);
}

/* Everything of TABLE is in the next one when this returns, and operations begin there. */
static inline struct ht_table *ht_copy_all(struct hashtable *map, struct ht_table *table)
{
    struct ht_table *next = ht_next_table(table);
    for (int i = 0; i < table->size; i++)
        ht_copy_slot(map, &table->slots[i], next);
    atomic_compare_exchange_strong_explicit(&map->top, &table, next, memory_order_release, memory_order_relaxed);
    return next;
}

/* Puts VALUE; returns the value before, or NULL. ONLY_IF_ABSENT: a value that is there stays. */
static inline uintptr_t ht_insert(struct hashtable *map, struct ht_table *table, int key, uintptr_t value,
                                  bool only_if_absent)
{
    struct ht_slot *slot = NULL;
    for (int i = 0; i < table->size && !slot; i++) {
        struct ht_slot *at = &table->slots[(key + i) % table->size];
        int found = atomic_load_explicit(&at->key, memory_order_relaxed);
        if (found == HT_NO_KEY) {
            bool mine = atomic_compare_exchange_strong_explicit(&at->key, &found, key, memory_order_relaxed,
                                                                memory_order_relaxed);
            /** @Ordering_Point_Label_Check: mine && !only_if_absent
                @Label: Put_Key */
            if (mine)
                found = key;
        }
        if (found == key)
            slot = at;
    }
    if (!slot) /* all slots are taken */
        return ht_insert(map, ht_copy_all(map, table), key, value, only_if_absent);
    uintptr_t before = atomic_load_explicit(&slot->value, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: only_if_absent && before && !(before & HT_MARK)
        @Label: Copy_New */
    for (;;) {
        if (before & HT_MARK) {
            struct ht_table *next = ht_next_table(table);
            ht_copy_slot(map, slot, next);
            return ht_insert(map, next, key, value, only_if_absent);
        }
        if (only_if_absent && before)
            return before;
        bool done = atomic_compare_exchange_strong_explicit(&slot->value, &before, value, memory_order_acq_rel,
                                                            memory_order_relaxed);
        /** @Ordering_Point_Label_Check: done && !only_if_absent
            @Label: Put_Value */
        /** @Ordering_Point_Label_Check: only_if_absent && (done || !(before & HT_MARK))
            @Label: Copy_New */
        if (done)
            return before;
    }
}

/** @Method: Put
    @Ordering_Point_Set: Put_Key | Put_Value | Put_Grown
    @ID: key
    @HB_Condition: Replaces :: __RET__ != NULL
    @PreCondition: __RET__ == _map[key]
    @SideEffect: _map[key] = value; */
static inline int *ht_put(struct hashtable *map, int key, int *value)
{
    struct ht_table *table = atomic_load_explicit(&map->top, memory_order_acquire);
    return (int *)ht_insert(map, table, key, (uintptr_t)value, false);
}

/** @Method: Get
    @Ordering_Point_Set: Get_Value | Get_No_Key | Get_No_Table
    @ID: key
    @HB_Condition: Found :: __RET__ != NULL
    @PreCondition: __RET__ == _map[key] */
static inline int *ht_get(struct hashtable *map, int key)
{
    struct ht_table *table = atomic_load_explicit(&map->top, memory_order_acquire);
    for (int i = 0; table; i++) {
        if (i == table->size) { /* no slot has it */
            table = atomic_load_explicit(&table->next, memory_order_acquire);
            /** @Ordering_Point_Label_Check: table == NULL
                @Label: Get_No_Table */
            i = -1;
            continue;
        }
        struct ht_slot *slot = &table->slots[(key + i) % table->size];
        int found = atomic_load_explicit(&slot->key, memory_order_relaxed);
        /** @Ordering_Point_Label_Check: found == HT_NO_KEY
            @Label: Get_No_Key */
        if (found == HT_NO_KEY)
            return NULL;
        if (found != key)
            continue;
        uintptr_t value = atomic_load_explicit(&slot->value, memory_order_acquire);
        /** @Ordering_Point_Label_Check: !(value & HT_MARK)
            @Label: Get_Value */
        if (!(value & HT_MARK))
            return (int *)value;
        struct ht_table *next = ht_next_table(table);
        ht_copy_slot(map, slot, next);
        table = next;
        i = -1;
    }
    return NULL;
}
