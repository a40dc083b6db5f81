// says: point_outside.c:4:5: @Ordering_Point_Label_Check is out of place: it must stand inside a function
#include <stdatomic.h>
static atomic_int x;
/** @Ordering_Point_Label_Check: true
    @Label: P */
/** @Structure_Define: @DeclareVar: int y; */
/** @Method: F
    @Ordering_Point_Set: P */
static void f(void)
{
    x = 1;
}
int main(void)
{
    f();
    return 0;
}
