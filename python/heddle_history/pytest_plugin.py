"""A fixture for pytest: histories that must hold when the test ends.

    def test_register(heddle_history):
        recorder = Recorder(heddle_history("register:0"))
        ...                             # clients in threads or tasks
                                        # at the end the test fails with the evidence, if it must
"""

from typing import Any, Iterator, List, Tuple

import pytest

from heddle_history import Answer, History, HistoryError

__tracebackhide__ = True


def _judge(made: List[Tuple[History, float]]) -> None:
    """Fails with the evidence of all that do not hold; nothing is judged twice."""
    texts = []
    while made:
        history, seconds = made.pop(0)
        try:
            answer = history.check(seconds)
        except HistoryError as problem:
            texts.append(str(problem))
            continue
        if answer is not Answer.HOLDS:
            texts.append(history.explain() or answer.name)
    if texts:
        pytest.fail("\n".join(texts), pytrace=False)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: Any) -> None:
    """After the test itself, unless that failed."""
    _judge(getattr(item, "heddle_histories", []))


@pytest.fixture
def heddle_history(request: Any) -> Iterator[Any]:
    """Makes histories, ``heddle_history(specification, isolation=None, seconds=60)``, that are judged
    at the end of the test."""
    made: List[Tuple[History, float]] = []
    request.node.heddle_histories = made

    def make(specification: str, isolation: Any = None, seconds: float = 60) -> History:
        history = History(specification, isolation)
        made.append((history, seconds))
        return history

    yield make
    _judge(made)  # of a test that failed
