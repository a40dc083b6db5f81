/* plugin.c: the messages of channel.h by MPI. Compiled once for Open MPI and once for MPICH, whose
 * binary interfaces differ; not part of the tool. */
#include "tool/cli/scale/channel.h"
#if __has_include(<mpi.h>) /* linters see the file without an MPI */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define END_PAUSE_US 200

extern const Channel heddle_channel;

/* A message that is on its way; MPI reads it until it is there. */
typedef struct Pending {
    struct Pending *next;
    MPI_Request request;
    unsigned char bytes[];
} Pending;
static Pending *pending;

static bool mpi_begin(int *rank, int *ranks)
{
    int begun;
    if (MPI_Initialized(&begun) != MPI_SUCCESS || (!begun && MPI_Init(NULL, NULL) != MPI_SUCCESS))
        return false;
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, ranks) == MPI_SUCCESS;
}

/* Frees what has arrived. */
static void settle(void)
{
    for (Pending **at = &pending; *at;) {
        Pending *p = *at;
        int done = 1;
        MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *at = p->next;
            free(p);
        } else {
            at = &p->next;
        }
    }
}

static void mpi_send(int to, int tag, const void *bytes, size_t count)
{
    settle();
    Pending *p = malloc(sizeof *p + count);
    if (!p)
        abort();
    memcpy(p->bytes, bytes, count);
    MPI_Isend(p->bytes, (int)count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &p->request);
    p->next = pending;
    pending = p;
}

static bool mpi_probe(int *from, int *tag, size_t *count)
{
    int there = 0, bytes;
    MPI_Status status;
    if (pending)
        settle();
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *count = (size_t)bytes;
    return true;
}

static void mpi_receive(int from, int tag, void *to, size_t count)
{
    MPI_Recv(to, (int)count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void mpi_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* Receives what is still on its way to this rank, for nobody. */
static void drop_messages(void)
{
    int from, tag;
    size_t count;
    while (mpi_probe(&from, &tag, &count)) {
        unsigned char *bytes = malloc(count + 1);
        if (!bytes)
            abort();
        mpi_receive(from, tag, bytes, count);
        free(bytes);
    }
}

/* A large message that nobody receives would keep its sender for ever, and MPI complains of those
 * that are left. So all ranks receive until each has got rid of its own. */
static void mpi_end(void)
{
    MPI_Request all;
    bool has_sent = false;
    for (int done = 0; !done;) {
        drop_messages();
        settle();
        if (!has_sent && !pending) {
            MPI_Ibarrier(MPI_COMM_WORLD, &all);
            has_sent = true;
        }
        if (has_sent)
            MPI_Test(&all, &done, MPI_STATUS_IGNORE);
        if (!done)
            usleep(END_PAUSE_US);
    }
    drop_messages();
    MPI_Finalize();
}

const Channel heddle_channel = {.version = CHANNEL_VERSION,
                                .begin = mpi_begin,
                                .send = mpi_send,
                                .probe = mpi_probe,
                                .receive = mpi_receive,
                                .abort = mpi_abort,
                                .end = mpi_end};
#endif
