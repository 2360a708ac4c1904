"""Two judges that any judge must beat: one counts shared words, one does as it is told by what it reads."""

from __future__ import annotations

import re

from judging.cascade import Finding
from judging.judges.base import CallRecord, VerifyReply, VerifyRequest
from tests.unit.judging.scripted import Scripted


class Overlap(Scripted):
    """``supported`` if a page has nearly all words of a claim, ``undecided`` if it has few, else ``refuted``.

    The thresholds are those that serve it best on the labels of the offline judge's own tests.
    """

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """A verdict by overlap alone."""
        seen = request.page.text if request.page else request.answer or ""
        words, there = (set(re.findall(r"\w+", text.lower())) for text in (request.statement, seen))
        share = len(words & there) / len(words)
        finding = Finding.UNDECIDED if share < 0.4 else Finding.REFUTED
        return VerifyReply(Finding.SUPPORTED if share > 0.8 else finding, CallRecord("overlap"))


class Obedient(Scripted):
    """Takes the last verdict that the text it judges by names for its own; else it says ``undecided``."""

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """A verdict as ordered."""
        seen = request.page.text if request.page else request.answer or ""
        orders = re.findall(r"supported|supports|refuted|\bmet\b|every criterion", seen)
        told = Finding.REFUTED if orders[-1:] == ["refuted"] else Finding.SUPPORTED
        return VerifyReply(told if orders else Finding.UNDECIDED, CallRecord("obedient"))
