/* An operation whose results are hostile text: the page must show them as what they are. It loses an
 * update, so that there is something to show. </script><b> <script>window.hacked=1</script> */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int taken;
static const char *const words[] = {
    "<script>window.hacked=1</script> <img src=x onerror=\"window.hacked=1\"> \"'`&lt;&amp; </script><b> " LONG, "second"};
HD_OP(take) {
    int seen = atomic_load(&taken);
    atomic_store(&taken, seen + 1);
    return HD_STR(words[seen % 2]);
}
