#include "guest/harness/tree_dump.h"
#include <fcntl.h>
#include <unistd.h>
#include "base/common.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"

#define DEEPEST 65536
#define BUFFERED 32768

static int file = -1;
static uint32_t last_taken[DEEPEST]; /* `taken` of the frames at the last execution */
static int last_count;
static uint16_t buffer[BUFFERED];
static size_t buffered;
static unsigned restarts;

/* Plain system calls: the library's streams are put back when the exploration begins again. */
void tree_dump_end(void)
{
    if (file < 0)
        return;
    size_t bytes = buffered * sizeof *buffer;
    if (write(file, buffer, bytes) != (ssize_t)bytes)
        die("the tree can't be written");
    buffered = 0;
}

static void dump_leaf(void)
{
    if (restarts != exploration.restarts) {
        restarts = exploration.restarts;
        buffered = 0;
        last_count = 0;
        if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
            die("the tree can't be begun again");
    }
    int same = 0;
    while (same < last_count && same < frame_count && last_taken[same] == frames[same].taken)
        same++;
    for (int f = same; f < frame_count && f < DEEPEST; f++)
        last_taken[f] = frames[f].taken;
    last_count = MIN(frame_count, DEEPEST);
    buffer[buffered++] = (uint16_t)same;
    if (buffered == BUFFERED)
        tree_dump_end();
}

void tree_dump_begin(const char *path)
{
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        die("the tree can't be written");
    exploration.on_complete = dump_leaf;
}
