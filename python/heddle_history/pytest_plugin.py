"""A fixture for pytest: histories that must hold when the test ends.

    def test_register(heddle_history):
        recorder = Recorder(heddle_history("register:0"))
        ...                             # clients in threads or tasks
                                        # at the end the test fails with the evidence, if it must
"""

from typing import Any, Iterator, List, Tuple

import pytest

from heddle_history import History


@pytest.fixture
def heddle_history() -> Iterator[Any]:
    """Makes histories, ``heddle_history(specification, isolation=None, seconds=60)``, that are judged
    at the end of the test."""
    made: List[Tuple[History, float]] = []

    def make(specification: str, isolation: Any = None, seconds: float = 60) -> History:
        history = History(specification, isolation)
        made.append((history, seconds))
        return history

    yield make
    for history, seconds in made:
        history.require(seconds)
    for history, _ in made:
        history.close()
