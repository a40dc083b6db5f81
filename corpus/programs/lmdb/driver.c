/* lmdb, a database in a file that is mapped: a writer commits two keys in one transaction while a reader looks at
 * both. The reader sees both or none, in the state of the beginning of its transaction. The file is made anew in every
 * execution. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lmdb.h"

static MDB_env *env;
static MDB_dbi database;
static char folder[200];

static void put(MDB_txn *txn, const char *name, int value)
{
    MDB_val key = {strlen(name), (void *)name}, data = {sizeof value, &value};
    assert(!mdb_put(txn, database, &key, &data, 0));
}

static int get(MDB_txn *txn, const char *name)
{
    MDB_val key = {strlen(name), (void *)name}, data;
    int value, status = mdb_get(txn, database, &key, &data);
    if (status == MDB_NOTFOUND)
        return 0;
    assert(!status && data.mv_size == sizeof value);
    memcpy(&value, data.mv_data, sizeof value);
    return value;
}

static void write_both(int value)
{
    MDB_txn *txn;
    assert(!mdb_txn_begin(env, NULL, 0, &txn));
    put(txn, "a", value);
    put(txn, "b", value);
    assert(!mdb_txn_commit(txn));
}

static void *writer(void *unused)
{
    (void)unused;
    write_both(2);
    return NULL;
}

static void read_both(void)
{
    MDB_txn *txn;
    assert(!mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
    int a = get(txn, "a"), b = get(txn, "b");
    assert(a == b && (a == 1 || a == 2));
    mdb_txn_abort(txn);
}

static void remove_files(void)
{
    char name[256];
    snprintf(name, sizeof name, "%s/data.mdb", folder);
    unlink(name);
    snprintf(name, sizeof name, "%s/lock.mdb", folder);
    unlink(name);
    rmdir(folder);
}

int main(void)
{
    MDB_txn *txn;
    snprintf(folder, sizeof folder, "%s/lmdb", getenv("TMPDIR"));
    remove_files();
    assert(!mkdir(folder, 0700));
    assert(!mdb_env_create(&env));
    assert(!mdb_env_set_mapsize(env, 64 << 10));
    assert(!mdb_env_open(env, folder, MDB_NOSYNC | FLAGS, 0600));
    assert(!mdb_txn_begin(env, NULL, 0, &txn));
    assert(!mdb_dbi_open(txn, NULL, 0, &database));
    assert(!mdb_txn_commit(txn));
    write_both(1);
    pthread_t thread;
    assert(!pthread_create(&thread, NULL, writer, NULL));
    read_both();
    pthread_join(thread, NULL);
    read_both();
    mdb_env_close(env);
    remove_files();
    return 0;
}
