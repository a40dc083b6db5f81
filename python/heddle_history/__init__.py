"""Is what a concurrent system did linearizable?

Record what clients call and what they get, then ask:

>>> history = History("fifo")
>>> history.call(0, "enq", 1)
>>> history.returned(0)
>>> history.call(1, "deq")
>>> history.returned(1, 2)
>>> history.check()
<Answer.VIOLATED: 1>
>>> print(history.explain().splitlines()[0])
NOT linearizable (fifo)

Histories may be recorded from several threads at once. Values are whatever json.dumps takes.
"""

import asyncio
import ctypes
import ctypes.util
import enum
import functools
import inspect
import json
import os
import pathlib
import threading
import weakref
from types import TracebackType
from typing import Any, Callable, List, Mapping, MutableMapping, Optional, Sequence, Tuple, Type

__all__ = ["Answer", "History", "HistoryError", "Operation", "Recorder"]
__tracebackhide__ = True  # pytest shows the test, not these functions


class Answer(enum.IntEnum):
    """What a check answers; the numbers are the exit statuses of ``heddle history``."""

    HOLDS = 0
    VIOLATED = 1
    INCONCLUSIVE = 3


class HistoryError(Exception):
    """Events that no run can produce, an unknown specification or operation, an unreadable log."""


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value).encode()
    except (TypeError, ValueError) as problem:
        raise HistoryError(f"{value!r} can't be written as JSON: {problem}") from None


class _Limits(ctypes.Structure):
    _fields_ = [
        ("seconds", ctypes.c_double),
        ("memory", ctypes.c_size_t),
        ("stop", ctypes.POINTER(ctypes.c_int)),
    ]


def _candidates() -> List[str]:
    name = "libheddle-history.so.1"
    here = pathlib.Path(__file__).resolve().parent
    found = [os.environ.get("HEDDLE_HISTORY_LIBRARY"), str(here / name)]
    found += [str(folder / name) for folder in here.parents[1:3]]  # installed: lib/python3/dist-packages
    return [path for path in found if path and os.path.exists(path)] + [name]


def _load() -> ctypes.CDLL:
    problem: Optional[OSError] = None
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as error:
            problem = error
    else:
        raise ImportError(
            "libheddle-history.so.1 was not found; install Heddle or set HEDDLE_HISTORY_LIBRARY"
        ) from problem
    handle, text, process = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
    for name, result, arguments in (
        ("open", handle, [text, ctypes.c_char_p, ctypes.c_size_t]),
        ("close", None, [handle]),
        ("call", ctypes.c_int, [handle, process, text, text]),
        ("return", ctypes.c_int, [handle, process, text]),
        ("fail", ctypes.c_int, [handle, process]),
        ("unknown", ctypes.c_int, [handle, process]),
        ("read", ctypes.c_int, [handle, text, text]),
        ("isolation", ctypes.c_int, [handle, text]),
        ("check", ctypes.c_int, [handle, ctypes.POINTER(_Limits)]),
        ("explain", text, [handle]),
        ("error", text, [handle]),
        ("count", ctypes.c_size_t, [handle]),
    ):
        function = getattr(library, "heddle_history_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()
_function: Callable[[str], Any] = lambda name: getattr(_library, "heddle_history_" + name)


class Operation:
    """One operation while it runs; see :meth:`History.operation`."""

    def __init__(self, history: "History", process: int) -> None:
        self._history = history
        self._process = process
        self._ended = False
        self._unknown = False
        self.result: Any = None

    def fail(self) -> None:
        """It is known not to have happened."""
        self._history.failed(self._process)
        self._ended = True

    def unknown(self) -> None:
        """Nobody knows whether it happened, or will: a time-out, a broken connection."""
        self._history.unknown(self._process)
        self._ended = self._unknown = True


class _Running:
    def __init__(self, history: "History", process: int, name: str, arguments: Sequence[Any]) -> None:
        self._history, self._process = history, process
        self._name, self._arguments = name, arguments

    def __enter__(self) -> Operation:
        self._operation = Operation(self._history, self._process)
        self._history.call(self._process, self._name, *self._arguments)
        return self._operation

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._operation._ended:
            return
        if kind is not None:  # what the exception means is not known
            self._operation.unknown()
        else:
            self._history.returned(self._process, self._operation.result)


class History:
    """A history against a specification: one of the built-in models of heddle-history(1).

    >>> History("queue")
    Traceback (most recent call last):
        ...
    heddle_history.HistoryError: there is no specification "queue"; there are: fifo, ...

    Of "transactions", ISOLATION is the level to judge by: strict-serializable if it is None.

    >>> history = History("transactions", isolation="snapshot-isolation")
    >>> for process, mine, other in ((1, "x", "y"), (2, "y", "x")):
    ...     history.call(process, "txn", [["r", other, None], ["append", mine, process]])
    >>> for process, mine, other in ((1, "x", "y"), (2, "y", "x")):
    ...     history.returned(process, [["r", other, []], ["append", mine, process]])
    >>> history.check()
    <Answer.HOLDS: 0>
    >>> history.isolation("serializable")
    >>> history.check()
    <Answer.VIOLATED: 1>
    >>> "write-skew" in history.explain()
    True
    """

    def __init__(self, specification: str, isolation: Optional[str] = None) -> None:
        message = ctypes.create_string_buffer(1024)
        self._handle: Optional[int] = _function("open")(
            specification.encode(), message, len(message)
        )
        if not self._handle:
            raise HistoryError(message.value.decode())
        if isolation is not None:
            self._event("isolation", isolation.encode())

    def close(self) -> None:
        """Frees the history. Nothing may be asked of it afterwards."""
        if self._handle:
            _function("close")(self._handle)
        self._handle = None

    def __enter__(self) -> "History":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __len__(self) -> int:
        return int(_function("count")(self._open()))

    def _open(self) -> int:
        if not self._handle:
            raise HistoryError("the history is closed")
        return self._handle

    def _event(self, name: str, *arguments: Any) -> None:
        if _function(name)(self._open(), *arguments):
            raise HistoryError(_function("error")(self._handle).decode())

    def call(self, process: int, operation: str, *arguments: Any) -> None:
        """PROCESS calls OPERATION; to be said before it begins."""
        self._event("call", process, operation.encode(), _json(arguments))

    def returned(self, process: int, result: Any = None) -> None:
        """The operation of PROCESS has ended and gave RESULT; to be said after it ended."""
        self._event("return", process, _json(result))

    def failed(self, process: int) -> None:
        """The operation of PROCESS is known not to have happened."""
        self._event("fail", process)

    def unknown(self, process: int) -> None:
        """Nobody knows whether the operation of PROCESS happened. PROCESS may call again."""
        self._event("unknown", process)

    def operation(self, process: int, name: str, arguments: Sequence[Any] = ()) -> _Running:
        """One operation as a ``with`` block; an exception leaves its outcome unknown.

        >>> history = History("register:0")
        >>> with history.operation(1, "read") as operation:
        ...     operation.result = 0
        >>> history.check()
        <Answer.HOLDS: 0>
        """
        return _Running(self, process, name, arguments)

    def isolation(self, level: str) -> None:
        """Judges transactions by LEVEL from now on; "auto": explain() then names the strongest."""
        self._event("isolation", level.encode())

    def read(self, path: str, format: Optional[str] = None) -> None:
        """Reads a log into an empty history; heddle-history(1) lists the formats."""
        self._event("read", os.fsencode(path), format.encode() if format else None)

    def check(self, seconds: float = 0, memory: int = 0) -> Answer:
        """Judges what was recorded so far; 0 is no limit.

        >>> history = History("fifo")
        >>> history.call(0, "frobnicate")
        >>> history.check()
        Traceback (most recent call last):
            ...
        heddle_history.HistoryError: history:1: the specification "fifo" has no operation ...
        """
        stop, answers = ctypes.c_int(0), []
        limits, handle = _Limits(seconds, memory, ctypes.pointer(stop)), self._open()
        done = threading.Event()

        def judge() -> None:
            try:
                answers.append(_function("check")(handle, ctypes.byref(limits)))
            finally:
                done.set()

        # Python hears Ctrl-C while it waits, and not inside of the library. (Not by join(): after an
        # exception there Python 3.11 takes the thread for one that has ended.)
        threading.Thread(target=judge).start()
        try:
            done.wait()
        except BaseException:
            stop.value = 1
            while not done.is_set():
                try:
                    done.wait()
                except KeyboardInterrupt:
                    pass
            raise
        if answers[0] == 2:
            raise HistoryError(_function("error")(handle).decode())
        return Answer(answers[0])

    def explain(self) -> str:
        """The evidence for the last answer, as text."""
        return str(_function("explain")(self._open()).decode("utf-8", "replace"))

    def require(self, seconds: float = 0, memory: int = 0) -> None:
        """For tests: an AssertionError with the evidence unless the history is linearizable.

        >>> history = History("counter")
        >>> with history.operation(1, "inc"):
        ...     pass
        >>> with history.operation(1, "get") as operation:
        ...     operation.result = 3
        >>> history.require()
        Traceback (most recent call last):
            ...
        AssertionError: NOT linearizable (counter)
        ...
        """
        answer = self.check(seconds, memory)
        if answer is not Answer.HOLDS:
            raise AssertionError(self.explain() or answer.name)


class _Client:
    """One process of the history: a thread or a task, until an outcome is unknown."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.busy = False


class Recorder:
    """Records what threads and asyncio tasks do, each of them as a process of its own.

    An exception of a type in FAILS says that the operation did not happen; any other leaves its
    outcome unknown, and the client goes on as a new process.

    >>> history = History("register:0")
    >>> recorder = Recorder(history)
    >>> with recorder.operation("read") as operation:
    ...     operation.result = 0
    >>> @recorder.records("write")
    ... def write(value):
    ...     raise TimeoutError
    >>> write(3)
    Traceback (most recent call last):
        ...
    TimeoutError
    >>> with recorder.operation("read") as operation:
    ...     operation.result = 3
    >>> history.require()
    """

    def __init__(self, history: History, fails: Tuple[Type[BaseException], ...] = ()) -> None:
        self._history, self._fails = history, fails
        self._lock = threading.Lock()
        self._processes = 0
        self._tasks: MutableMapping[Any, _Client] = weakref.WeakKeyDictionary()
        self._threads = threading.local()

    def _new(self) -> _Client:
        with self._lock:
            self._processes += 1
            return _Client(self._processes - 1)

    def _client(self) -> _Client:
        try:
            task = asyncio.current_task()
        except RuntimeError:  # no loop runs in this thread
            task = None
        if task is not None:
            with self._lock:
                client = self._tasks.get(task)
            if client is None:
                client = self._new()
                with self._lock:
                    self._tasks[task] = client
            return client
        if not hasattr(self._threads, "client"):
            self._threads.client = self._new()
        found: _Client = self._threads.client
        return found

    def operation(self, name: str, *arguments: Any) -> "_Recording":
        """One operation of the current thread or task as a ``with`` block."""
        return _Recording(self, name, arguments)

    def transaction(self, steps: Sequence[Sequence[Any]]) -> "_Recording":
        """A transaction, [[f, key, value], ...]; its result is STEPS with what was read."""
        return _Recording(self, "txn", (steps,))

    def records(self, name: Optional[str] = None, method: bool = False) -> Callable[[Any], Any]:
        """Decorates a function, or coroutine: its calls are operations NAME with its arguments
        (METHOD: without self; those with names where they stand in its signature), its result is
        theirs.

        >>> history = History("kv")
        >>> put = Recorder(history).records("put")(lambda key, value=1: None)
        >>> put(value=7, key="k")
        >>> history.check()
        <Answer.HOLDS: 0>
        """

        def decorate(function: Any) -> Any:
            called = name or function.__name__

            def operation_of(arguments: Sequence[Any], named: Mapping[str, Any]) -> "_Recording":
                if named:
                    bound = inspect.signature(function).bind(*arguments, **named)
                    arguments = [*bound.args, *bound.kwargs.values()]
                return self.operation(called, *arguments[method:])

            @functools.wraps(function)
            def plain(*arguments: Any, **named: Any) -> Any:
                with operation_of(arguments, named) as operation:
                    operation.result = function(*arguments, **named)
                return operation.result

            @functools.wraps(function)
            async def awaited(*arguments: Any, **named: Any) -> Any:
                with operation_of(arguments, named) as operation:
                    operation.result = await function(*arguments, **named)
                return operation.result

            return awaited if inspect.iscoroutinefunction(function) else plain

        return decorate


class _Recording:
    def __init__(self, recorder: Recorder, name: str, arguments: Sequence[Any]) -> None:
        self._recorder, self._name, self._arguments = recorder, name, arguments

    def __enter__(self) -> Operation:
        self._client = self._recorder._client()
        if self._client.busy:
            raise HistoryError(
                f"{self._name} begins inside another recorded operation of this thread or task"
            )
        self._operation = Operation(self._recorder._history, self._client.process)
        self._recorder._history.call(self._client.process, self._name, *self._arguments)
        self._client.busy = True
        return self._operation

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        client, operation = self._client, self._operation
        client.busy = False
        if not operation._ended:
            if kind is None:
                self._recorder._history.returned(client.process, operation.result)
                return
            if issubclass(kind, self._recorder._fails):
                operation.fail()
                return
            operation.unknown()
        if operation._unknown:  # nobody waits for it: what follows is another process
            client.process = self._recorder._new().process
