/* unwatched.c: nothing is watched on this processor yet (entry/watch.h, entry/copied.h,
 * entry/assembly.h): the tool lists nothing, so code that nobody announces is noted
 * (runtime/unseen.h) and the answer says so. */
#include "guest/entry/copied.h"
#include "guest/entry/watch.h"

bool watch_is_used;
void watch_clear_all(void)
{
}
void watch_setup(const LinkWatch *watches, uint32_t count)
{
    (void)watches;
    if (count)
        die("instructions can't be watched on this processor");
}
void copied_setup(const Link *link, const LinkLibrary *library, unsigned number,
                  const struct dl_phdr_info *info)
{
    (void)link, (void)library, (void)number, (void)info;
    die("the C library can't be copied on this processor");
}
void copied_close(void)
{
}
uint64_t copied_distance(unsigned number)
{
    (void)number;
    return 0;
}
void copied_note_object(const void *object)
{
    (void)object;
}
const char *copied_name(const void *sp)
{
    (void)sp;
    return NULL;
}
