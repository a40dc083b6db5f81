/* specific.c: what each thread has for itself: thread-specific data, and the destructors of its
 * thread_local objects.
 *
 * A key names its creator and a number there, so that creating keys in two threads needs no shared
 * counter. A key's destructor is read without an event: who uses a key got it from its creator.
 * Whether the key was deleted is an atomic location, which orders nothing, once a program with
 * several threads deletes one: another thread may set a value at the same time, or end and call the
 * destructor, before or after that. */
#include "guest/entry/guest.h"
#include <limits.h>
#include <pthread.h>
#include <threads.h>
#include "guest/entry/sync/word.h"

static bool shared_delete; /* a key is deleted where there are other threads */

static GuestKey *key_at(uint64_t key)
{
    uint64_t number = key % GUEST_KEYS, thread = key / GUEST_KEYS;
    return thread < GUEST_THREADS ? &guest_thread((unsigned)thread)->keys[number] : NULL;
}

/* Returns the key if it was created, and not deleted; else NULL. */
static GuestKey *key_find(uint64_t key, const void *pc)
{
    GuestKey *found = key_at(key);
    if (!found)
        return NULL;
    uint64_t state = found->state;
    if (UNLIKELY(shared_delete))
        state = word_load(&found->state, sizeof found->state, ORDER_RELAXED, pc);
    return state == 1 ? found : NULL;
}

static int key_create(pthread_key_t *key, void (*destructor)(void *), const void *pc)
{
    GuestThread *self = guest_current();
    if (self->key_count == GUEST_KEYS)
        return EAGAIN;
    op_note_identity();
    pthread_key_t name = guest_self() * GUEST_KEYS + self->key_count;
    GuestKey *fresh = &self->keys[self->key_count];
    guest_set(fresh->destructor, destructor);
    if (UNLIKELY(shared_delete))
        word_store(&fresh->state, sizeof fresh->state, 1, ORDER_RELAXED, pc);
    else
        guest_set(fresh->state, 1);
    guest_set(self->key_count, self->key_count + 1);
    guest_store(key, &name, sizeof name, pc);
    return 0;
}

static int key_delete(pthread_key_t key, const void *pc)
{
    if (UNLIKELY(!shared_delete) && op_active() && op_others_exist()) {
        shared_delete = true;
        op_begin_again();
    }
    GuestKey *found = shared_delete ? key_at(key) : key_find(key, pc);
    uint64_t live = 1;
    if (!found)
        return EINVAL;
    if (!shared_delete)
        guest_set(found->state, 2);
    else if (!word_cas(&found->state, sizeof found->state, &live, 2, ORDER_RELAXED, ORDER_RELAXED,
                       pc))
        return EINVAL;
    return 0;
}

void specific_recall(uint64_t address)
{
    uint64_t offset = address - (uintptr_t)guest_thread(0);
    shared_delete |=
        offset < sizeof(GuestThread) * GUEST_THREADS &&
        offset % sizeof(GuestThread) - offsetof(GuestThread, keys) < sizeof(GuestKey) * GUEST_KEYS;
}

static void *value_get(pthread_key_t key)
{
    GuestThread *self = guest_current();
    for (unsigned i = 0; i < self->specific_count; i++)
        if (self->specific[i].key == key)
            return self->specific[i].value;
    return NULL;
}

static int value_set(pthread_key_t key, const void *value, const void *pc)
{
    DEBUG_ASSERT(guest_current()->specific_count <= GUEST_SPECIFIC);
    GuestThread *self = guest_current();
    if (!key_find(key, pc))
        return EINVAL;
    GuestValue fresh = {.key = key, .value = (void *)(uintptr_t)value};
    for (unsigned i = 0; i < self->specific_count; i++)
        if (self->specific[i].key == key) {
            guest_put(&self->specific[i], &fresh, sizeof fresh);
            return 0;
        }
    if (self->specific_count == GUEST_SPECIFIC)
        return ENOMEM;
    guest_put(&self->specific[self->specific_count], &fresh, sizeof fresh);
    guest_set(self->specific_count, self->specific_count + 1);
    return 0;
}

GUEST int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return key_create(key, destructor, GUEST_PC);
}

GUEST int pthread_key_delete(pthread_key_t key)
{
    return key_delete(key, GUEST_PC);
}

GUEST void *pthread_getspecific(pthread_key_t key)
{
    return value_get(key);
}

/* The header says that the value is not used, which would be a warning here. */
GUEST int specific_set(pthread_key_t key, const void *value) __asm__("pthread_setspecific");
int specific_set(pthread_key_t key, const void *value)
{
    return value_set(key, value, GUEST_PC);
}

GUEST int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return key_create(key, destructor, GUEST_PC) ? thrd_error : thrd_success;
}

GUEST void tss_delete(tss_t key)
{
    key_delete(key, GUEST_PC);
}

GUEST void *tss_get(tss_t key)
{
    return value_get(key);
}

GUEST int tss_set(tss_t key, void *value)
{
    return value_set(key, value, GUEST_PC) ? thrd_error : thrd_success;
}

/* ---- thread_local objects ---- */

GUEST int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library);
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library)
{
    (void)library;
    GuestThread *self = guest_current();
    if (self->destructor_count == GUEST_DESTRUCTORS)
        op_unsupported("a thread has more than %d thread_local objects with destructors",
                       GUEST_DESTRUCTORS);
    GuestCall call = {.function = function, .argument = argument};
    guest_put(&self->destructors[self->destructor_count], &call, sizeof call);
    guest_set(self->destructor_count, self->destructor_count + 1);
    return 0;
}

void thread_destroy_locals(void)
{
    DEBUG_ASSERT(guest_current()->destructor_count <= GUEST_DESTRUCTORS);
    GuestThread *self = guest_current();
    while (self->destructor_count) { /* a destructor may register further ones */
        guest_set(self->destructor_count, self->destructor_count - 1);
        GuestCall call = self->destructors[self->destructor_count];
        call.function(call.argument);
    }
}

/* In rounds, since a destructor may set values again; as often as POSIX asks for. */
static void run_key_destructors(GuestThread *self)
{
    DEBUG_ASSERT(self == guest_current());
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        bool ran = false;
        for (unsigned i = 0; i < self->specific_count; i++) {
            GuestValue entry = self->specific[i];
            GuestKey *key = entry.value ? key_find(entry.key, NULL) : NULL;
            if (!key || !key->destructor)
                continue;
            guest_set(self->specific[i].value, NULL);
            key->destructor(entry.value);
            ran = true;
        }
        if (!ran)
            return;
    }
}

void thread_run_destructors(void)
{
    GuestThread *self = guest_current();
    thread_destroy_locals();
    if (self->specific_count)
        run_key_destructors(self);
}
