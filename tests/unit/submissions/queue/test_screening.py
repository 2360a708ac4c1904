"""What a worker is handed: a foreign message becomes one that fails, whatever it names."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from submissions.queue.screening import NotAStep, PipelineOnly

STEP = next(iter(settings.PIPELINE.values()))
FOREIGN = [
    {"func": "os.system", "args": ("true",), "kwargs": {}},
    {"func": STEP, "args": (1,), "kwargs": {}, "hook": "os.system"},
    {"func": STEP, "args": (1,), "kwargs": {}, "chain": [("os.system", ("true",), {})]},
]


class One:
    """A source of one message."""

    def __init__(self, message: Any) -> None:
        self._message = message

    def get(self) -> Any:
        return self._message


@pytest.mark.parametrize("message", ["STOP", {"id": "a", "func": STEP, "args": (1,), "kwargs": {}}])
def test_a_step_of_the_pipeline_passes_as_it_is(message: Any) -> None:
    assert PipelineOnly(One(message)).get() is message


@pytest.mark.parametrize("foreign", FOREIGN, ids=["another callable", "a hook", "a chain"])
def test_a_foreign_message_fails_instead_of_running(foreign: dict[str, Any]) -> None:
    message = PipelineOnly(One({"id": "a", "name": "n", **foreign})).get()
    assert {key: message[key] for key in ("id", "name", "args", "kwargs")} == {
        "id": "a", "name": "n", "args": (), "kwargs": {},
    }  # fmt: skip
    assert not message.keys() & {"hook", "chain"}
    with pytest.raises(NotAStep):
        message["func"]()
