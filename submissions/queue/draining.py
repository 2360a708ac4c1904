"""Whether this worker was told to stop: one byte that the parent and its forked children share."""

from __future__ import annotations

from multiprocessing.sharedctypes import RawValue

# Without a lock: it is written in a signal handler, which may interrupt whoever holds one.
_told = RawValue("b", 0)


def drain(on: bool = True) -> None:
    """Tell the slices under way to start nothing new; what runs is brought to its end and given back."""
    _told.value = int(on)


def draining() -> bool:
    """Whether nothing new may start."""
    return bool(_told.value)
