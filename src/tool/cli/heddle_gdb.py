# heddle_gdb.py: what `heddle replay --gdb' tells gdb. The program's threads are kernel threads called
# main, T1, T2 ... that hand a baton round in the recorded order, so that bt, info threads, step and
# finish work as always. heddle__stop is where the runtime stops for us; its argument is the thread to
# look at. This file is part of the tool and is written beside the program for one session.
import re

import gdb

STOP = "heddle__stop"


def is_programs(frame):
    """Is it the user's code? The runtime has no source, a library's stands in the system's folders."""
    symtab = frame.find_sal().symtab
    return symtab is not None and not symtab.fullname().startswith("/usr/")


def programs_frame(frame):
    """The innermost frame of the program itself, from FRAME on; None if there is none."""
    while frame is not None and not is_programs(frame):
        frame = frame.older()
    return frame


def where_of(frame):
    """What a thread does whose newest frame is FRAME, in words."""
    own, names = programs_frame(frame), set()
    while frame is not None:
        names.add(frame.name())
        frame = frame.older()
    if names & {"end_thread", "op_exit", "op_program_exit", "thread_finish"}:
        return "has ended"
    if own is not None:
        return place_of(own)
    return "waits for a thread to end" if "op_join" in names else "in the runtime"


def threads():
    """The program's threads, main first."""
    found = [t for t in gdb.selected_inferior().threads() if t.name and re.fullmatch(r"main|T\d+", t.name)]
    return sorted(found, key=lambda t: 0 if t.name == "main" else int(t.name[1:]))


def place_of(frame):
    sal = frame.find_sal()
    return "%s () at %s:%d" % (frame.name(), sal.symtab.filename, sal.line)


class HideRuntime:
    """A backtrace from the program's innermost frame to its outermost; `bt -no-filters' shows all."""

    def __init__(self):
        self.name, self.priority, self.enabled = "heddle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        own = [i for i, f in enumerate(frames) if is_programs(f.inferior_frame())]
        return iter(frames[own[0]:own[-1] + 1] if own else frames)


class InfoThreads(gdb.Command):
    """The threads of the execution and where each stands. The number is for `thread NUMBER'."""

    def __init__(self):
        super().__init__("info threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        selected, frame = gdb.selected_thread(), gdb.selected_frame()
        gdb.write("  Id   Thread  Where\n")
        for thread in threads():
            thread.switch()
            mark = "*" if thread == selected else " "
            gdb.write("%s %-4d %-7s %s\n" % (mark, thread.num, thread.name, where_of(gdb.newest_frame())))
        if selected is not None:
            selected.switch()
            frame.select()


class HeddleThread(gdb.Command):
    """Look at a thread by its name in the report: heddle-thread T1"""

    def __init__(self):
        super().__init__("heddle-thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        for thread in threads():
            if thread.name == argument.strip():
                thread.switch()
                show_programs_frame()
                return
        raise gdb.GdbError("no thread %s: info threads lists them" % argument)


class HeddleOut(gdb.Command):
    """Let the thread leave the runtime: its present step is done, in the recorded order."""

    def __init__(self):
        super().__init__("heddle-out", gdb.COMMAND_RUNNING)
        for command in ("next", "step", "nexti", "stepi"):
            gdb.execute("define hook-%s\nheddle-out\nend" % command)

    def invoke(self, argument, from_tty):
        thread, newest = gdb.selected_thread(), gdb.newest_frame()
        own = programs_frame(newest)
        if thread is None or own is None or own == newest:
            return
        place = gdb.Breakpoint("*%d" % own.pc(), internal=True, temporary=True)
        place.thread, place.silent = thread.global_num, True
        gdb.execute("continue", to_string=True)


def show_programs_frame():
    frame = programs_frame(gdb.newest_frame())
    if frame is not None:
        frame.select()
        gdb.execute("frame")


class Stop(gdb.Breakpoint):
    def __init__(self):
        super().__init__(STOP, internal=True)
        self.silent = True

    def on_stop(self, event):
        if not isinstance(event, gdb.BreakpointEvent) or self not in event.breakpoints:
            return
        number = int(gdb.parse_and_eval("(int) $edi"))
        name = "main" if number == 0 else "T%d" % number
        for thread in threads():
            if thread.name == name:
                thread.switch()
                gdb.write("[heddle: %s]\n" % name)
                show_programs_frame()
                return
        gdb.write("[heddle: the end of the execution]\n")


def begin():
    for setting in ("pagination off", "startup-with-shell off", "disable-randomization on",
                    "print thread-events off"):
        gdb.execute("set " + setting)
    for signal in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGPROF"):
        gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
    HideRuntime()
    InfoThreads()
    HeddleThread()
    HeddleOut()
    gdb.events.stop.connect(Stop().on_stop)
    gdb.execute("run")


begin()
