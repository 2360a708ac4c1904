"""What reading a bundle gives: answers on a spool, or faults with their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from submissions.bundle.reading import AnswerIn, Fault, FaultCode
from submissions.bundle.spool import Spool
from submissions.problems import FirstFaults

Slot = tuple[str, int]  # a task, as the bundle names it, and a run


@dataclass(frozen=True, slots=True)
class BundleReading:
    """What a bundle holds: which slots it fills, and from which places in it; and its first faults.

    ``answers`` are complete without faults only. ``more`` faults were counted and not kept.
    """

    slots: Mapping[Slot, str]
    answers: Spool
    faults: tuple[Fault, ...] = ()
    more: int = 0

    def close(self) -> None:
        """Give up the answers and their space on disk."""
        self.answers.close()


class Collector:
    """Gathers answers and faults, and sees the second answer for the same task and run.

    Of an answer, its slot and its place are held; the rest goes to the spool.
    """

    def __init__(self) -> None:
        self._faults: FirstFaults[Fault] = FirstFaults()
        self._slots: dict[Slot, str] = {}
        self._answers = Spool()

    def refuse(self, where: str, code: FaultCode, detail: str) -> None:
        """Note a fault."""
        self._faults.add(Fault(where, code, detail))

    def accept(self, answer: AnswerIn) -> None:
        """Note an answer, or the fault that it is there already."""
        slot = (answer.task, answer.run)
        if slot in self._slots:
            detail = f"The same task and run as {self._slots[slot]}."
            self.refuse(answer.where, FaultCode.ANSWER_DUPLICATE, detail)
            return
        self._slots[slot] = answer.where
        if not self._faults.kept:  # of a bundle with a fault nothing will be stored
            self._answers.add(answer)

    def reading(self) -> BundleReading:
        """What was gathered. A bundle with nothing in it is a fault."""
        if not self._slots and not self._faults.kept:
            self.refuse("bundle", FaultCode.BUNDLE_EMPTY, "The bundle holds no answer.")
        return BundleReading(self._slots, self._answers, tuple(self._faults.kept), self._faults.more)
