// A key of thread-specific data is deleted beside a call that sets a value: no access of the program orders the two, but
// what the runtime writes for itself does. Alone a call that deletes the key is not noticed by the assertion.
// run: HEDDLE_DEBUG=states=always --model=sc --scenario=set()|drop() => violated assertion
// run: HEDDLE_DEBUG=states=always,check-steps --model=sc --scenario=set()|drop() => violated assertion
// run: HEDDLE_DEBUG=states=never --model=sc --scenario=set()|drop() => violated assertion
#include <assert.h>
#include <errno.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_key_t key;
static atomic_int during, other;
HD_INIT { pthread_key_create(&key, NULL); }
HD_OP(set)
{
    int beside = atomic_load(&during);
    int turn = atomic_load(&other);
    assert(pthread_setspecific(key, &key) == 0 || !beside);
    return HD_INT(turn);
}
HD_OP(drop)
{
    atomic_store(&during, 1);
    int turn = atomic_load(&other);
    pthread_key_delete(key);
    atomic_store(&during, 0);
    return HD_INT(turn);
}
