/* channel.h: messages between the ranks of a job that mpirun or srun has started. heddle itself
 * neither needs nor links MPI: one of two small plug-ins (mpi/plugin.c, built where mpicc is there)
 * is loaded when a launcher's environment says so. */
#ifndef HEDDLE_CLI_SCALE_CHANNEL_H
#define HEDDLE_CLI_SCALE_CHANNEL_H
#include <stdbool.h>
#include <stddef.h>

#define CHANNEL_SYMBOL "heddle_channel"
#define CHANNEL_VERSION 1

typedef struct Channel { /* what a plug-in exports */
    int version;
    bool (*begin)(int *rank, int *ranks);
    void (*send)(int to, int tag, const void *bytes,
                 size_t count);                        /* returns when it is on its way */
    bool (*probe)(int *from, int *tag, size_t *count); /* is there a message? does not wait */
    void (*receive)(int from, int tag, void *to, size_t count); /* the one that probe has found */
    void (*abort)(int status);                                  /* ends all ranks at once */
    void (*end)(void);
} Channel;
#endif
