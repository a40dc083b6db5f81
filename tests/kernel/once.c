/* Who creates a file exclusively is one, also as calls of a check; and the file is gone before the next test. BUG: it is
 * looked for first. */
// run: check --shape=2x1 => holds
// run: check --shape=2x2 --model=sc => holds
// run: check --shape=2x1 -DBUG => violated linearizability
#include <fcntl.h>
#include <heddle.h>
#include <unistd.h>
#define F FOLDER "/f"
HD_INIT
{
    unlink(F);
}
HD_OP(create)
{
#ifdef BUG
    if (!access(F, F_OK))
        return HD_INT(0);
    int fd = open(F, O_CREAT | O_RDWR, 0600);
#else
    int fd = open(F, O_CREAT | O_EXCL | O_RDWR, 0600);
#endif
    if (fd >= 0)
        close(fd);
    return HD_INT(fd >= 0);
}
