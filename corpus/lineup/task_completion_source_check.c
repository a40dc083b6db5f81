/* TaskCompletionSource: Exception, TrySetCanceled, TrySetException, TrySetResult, SetCanceled,
 * SetException, SetResult (an error if it is completed already), Wait, TryResult. */
#include <heddle.h>
#include "task_completion_source.h"

static struct task task;
static HdValue set(enum task_state how, int value)
{
    return task_try_set(&task, how, value) ? HD_VOID : HD_STR("error");
}
static HdValue status(enum task_state state)
{
    return state == TASK_RESULT      ? HD_INT(atomic_load(&task.result))
           : state == TASK_EXCEPTION ? HD_STR("exception")
           : state == TASK_CANCELLED ? HD_STR("canceled")
                                     : HD_NONE;
}

HD_INIT { task_init(&task); }
HD_OP(Exception)
{
    int exception = task_exception(&task);
    return exception ? HD_INT(exception) : HD_NONE;
}
HD_OP(TrySetCanceled) { return HD_BOOL(task_try_set(&task, TASK_CANCELLED, 0)); }
HD_OP(TrySetException) { return HD_BOOL(task_try_set(&task, TASK_EXCEPTION, 1)); }
HD_OP(TrySetResult) { return HD_BOOL(task_try_set(&task, TASK_RESULT, 10)); }
HD_OP(SetCanceled) { return set(TASK_CANCELLED, 0); }
HD_OP(SetException) { return set(TASK_EXCEPTION, 2); }
HD_OP(SetResult) { return set(TASK_RESULT, 20); }
HD_OP(Wait) { return status(task_wait(&task)); }
HD_OP(TryResult) { return status(task_status(&task)); }
