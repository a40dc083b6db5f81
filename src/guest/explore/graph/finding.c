#include "guest/explore/graph/finding.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

Finding finding;
FindingState findings = {.self = -1};
static struct {
    int thread;
    const void *address;
    unsigned bytes, blame;
} partner = {-1, NULL, 0, BLAME_NOTHING};

void finding_set_partner(int thread, const void *address, unsigned bytes)
{
    DEBUG_ASSERT(thread >= -1 && thread < MAX_THREADS);
    partner.thread = thread;
    partner.address = address;
    partner.bytes = bytes;
}

void finding_set_blame(OpBlame what)
{
    partner.blame = what;
}

void op_blame(OpBlame what, const void *address, size_t bytes)
{
    finding_set_partner(-1, address, (unsigned)MIN(bytes, 255u));
    partner.blame = what;
}

volatile uint32_t heddle__stop_always;

__attribute__((noinline)) void heddle__stop(int thread)
{
    __asm__ volatile("" ::"r"(thread) : "memory");
}

void finding_stop(void)
{
    if (UNLIKELY(findings.debugged) && finding.kind == FINDING_VIOLATION)
        heddle__stop(finding.thread);
    if (fiber_current >= 0) {
        request.kind = REQUEST_STOP;
        fiber_abandon();
    }
    longjmp(findings.jump, 1);
}

static PRINTF_LIKE(4, 0) void fill(FindingKind kind, ViolationKind violation, const void *pc,
                                   const char *format, va_list arguments)
{
    finding.kind = kind;
    finding.violation = violation;
    finding.thread = fiber_current >= 0 ? fiber_current : findings.self;
    finding.pc = (uintptr_t)pc;
    finding.partner = partner.thread;
    finding.address = (uintptr_t)partner.address;
    finding.bytes = partner.bytes;
    finding.blame = partner.blame;
    finding.event = findings.event;
    findings.event = 0;
    partner.thread = -1;
    partner.address = NULL;
    partner.bytes = partner.blame = 0;
    vsnprintf(finding.message, sizeof finding.message, format, arguments);
}

void op_violation(ViolationKind kind, const void *pc, const char *format, ...)
{
    DEBUG_ASSERT(kind != VIOLATION_NONE);
    va_list arguments;
    va_start(arguments, format);
    fill(FINDING_VIOLATION, kind, pc, format, arguments);
    va_end(arguments);
    if (UNLIKELY(findings.put_off != NULL))
        findings.put_off();
    finding_stop();
}

void op_unsupported(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(FINDING_UNSUPPORTED, VIOLATION_NONE, NULL, format, arguments);
    va_end(arguments);
    finding_stop();
}

void op_unsupported_at(const void *pc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(FINDING_UNSUPPORTED, VIOLATION_NONE, pc, format, arguments);
    va_end(arguments);
    finding_stop();
}

void finding_check_exit(int status, const void *pc)
{
    status &= 0xff; /* what the parent of a process gets to see */
    if (status && !options.exit_status_ignored)
        op_violation(VIOLATION_EXIT_STATUS, pc,
                     pc ? "the program ends with exit status %d" : "main returns %d", status);
}

void finding_restart(void)
{
    finding = (Finding){.kind = FINDING_RESTART, .partner = -1};
    findings.event = 0;
    finding_stop();
}

void op_begin_again(void)
{
    finding_restart();
}

void op_warning(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < findings.remark_count; i++)
        if (!strcmp(findings.remarks[i], text))
            return;
    if (findings.remark_count < FINDING_REMARKS)
        memcpy(findings.remarks[findings.remark_count++], text, sizeof text);
}
