"""A judge that says what it is told, and the plain data judging works on."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from judging.cascade import DEFAULT_PROFILE, Finding
from judging.case import AnswerWork, Case, Snapshot
from judging.citations import url_key
from judging.desk import Desk, Judgement, Memory, Reading
from judging.judges.base import (
    Attempt,
    CallRecord,
    ClaimsReply,
    ClaimsRequest,
    ExtractedClaim,
    ExtractOutcome,
    ExtractReply,
    ExtractRequest,
    VerifyReply,
    VerifyRequest,
    one_by_one,
)
from judging.rubric import CascadeRubric, TreeRubric, parse_rubric

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)
RECORD = CallRecord(judge="scripted", attempts=(Attempt(),))
YES, NO, OPEN = Finding.SUPPORTED, Finding.REFUTED, Finding.UNDECIDED
ABSTAINS, FAILS = Finding.NOT_ASSESSED, Finding.ERROR

# What is said: a finding, a whole reply, or one of either for each vote.
Said = Finding | VerifyReply | Sequence[Finding | VerifyReply]


class Scripted:
    """``verdicts`` by statement, or by (statement, URL of the page shown); what is not named is supported.

    ``data`` by extraction name, ``claims`` by text of the subtask: a value, or the outcome of a failure.
    """

    name = "scripted"

    def __init__(
        self,
        verdicts: Mapping[Any, Said] | None = None,
        *,
        data: Mapping[str, Any] | None = None,
        claims: Mapping[str, Any] | None = None,
        offline: bool = False,
    ) -> None:
        self.verdicts = dict(verdicts or {})
        self.data = dict(data or {})
        self.given = dict(claims or {})
        self.offline = offline
        self.asked: list[str] = []
        self.groups: list[list[str]] = []
        self.wholes: list[list[str]] = []
        self.requests: list[VerifyRequest] = []

    def votes(self, wanted: int) -> int:
        """As many as wanted, of a deterministic judge one."""
        return 1 if self.offline else wanted

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """The verdict for the statement, on the page shown if that is named."""
        self.asked.append(request.statement)
        self.requests.append(request)
        url = request.page.url if request.page else None
        said: Said = self.verdicts.get((request.statement, url)) or self.verdicts.get(request.statement, YES)
        reply = said if isinstance(said, Finding | VerifyReply) else said[request.sample]
        return reply if isinstance(reply, VerifyReply) else VerifyReply(reply, RECORD, reason=f"said {reply}")

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """The verdict of each; the group is noted."""
        self.groups.append([request.statement for request in requests])
        self.wholes.append([request.statement for request in group])
        return await one_by_one(self, requests)

    async def extract(self, request: ExtractRequest) -> ExtractReply:
        """The data of that name."""
        self.asked.append(request.name)
        found = self.data.get(request.name)
        if isinstance(found, ExtractOutcome):
            return ExtractReply(found, None, RECORD, "scripted")
        return ExtractReply(ExtractOutcome.OK, found, RECORD)

    async def claims(self, request: ClaimsRequest) -> ClaimsReply:
        """The claims of that subtask: texts, or pairs of text and URLs."""
        self.asked.append(request.subtask)
        found = self.given.get(request.subtask, ())
        if isinstance(found, ExtractOutcome):
            return ClaimsReply(found, (), RECORD, "scripted")
        pairs = [(one, ()) if isinstance(one, str) else one for one in found]
        claims = tuple(ExtractedClaim(text, tuple(urls)) for text, urls in pairs)
        return ClaimsReply(ExtractOutcome.OK, claims, RECORD)

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Nothing is shared."""

    async def aclose(self) -> None:
        """Nothing to close."""


class Notes:
    """A ledger on paper."""

    def __init__(self) -> None:
        self.judgements: dict[str, Judgement] = {}
        self.readings: dict[str, Reading] = {}
        self.keys: dict[str, str] = {}

    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None:
        """Note a verdict."""
        self.judgements[check] = found
        self.keys[check] = key

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None:
        """Note an extraction."""
        self.readings[name] = found
        self.keys[name] = key


def desk_of(judge: Scripted | None, memory: Memory | None = None) -> tuple[Desk, Notes]:
    """A desk with a judge (None replays) and its ledger."""
    notes = Notes()
    known = Memory() if memory is None else memory
    return (Desk(known) if judge is None else Desk(known, judge, notes)), notes


def tree_rubric(tree: Any, **more: Any) -> TreeRubric:
    """A rubric tree as an author writes it."""
    rubric = parse_rubric({"tree": tree, **more}, "rubric_tree")
    assert isinstance(rubric, TreeRubric)
    return rubric


def cascade_rubric(*subtasks: Mapping[str, Any]) -> CascadeRubric:
    """A cascade as an author writes it."""
    rubric = parse_rubric({"subtasks": list(subtasks)}, "cascade")
    assert isinstance(rubric, CascadeRubric)
    return rubric


def work_on(rubric: TreeRubric | CascadeRubric, text: str = "An answer.", **fields: Any) -> AnswerWork:
    """An answer to judge."""
    values: dict[str, Any] = {
        "id": 1,
        "task": "task",
        "prompt": "What is asked?",
        "run": 1,
        "text": text,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "seconds": 60.0,
        "cost_usd": 0.5,
        "rubric_id": 1,
        "rubric": rubric,
        **fields,
    }
    return AnswerWork(**values)


def snapshot(url: str, text: str = "A page.", verdict: str = "ok", **fields: Any) -> Snapshot:
    """A stored capture; its text is found by :func:`case_of`, which is given the same."""
    values: dict[str, Any] = {
        "id": 7,
        "url": url,
        "final_url": url,
        "verdict": verdict,
        "status": 200,
        "probe_ok": None,
        "static_only": False,
        "text_sha256": text,  # a hash in the database; here the text itself, so that reading it is easy
        "title": "",
        "collected_at": NOW,
        **fields,
    }
    return Snapshot(**values)


def case_of(pages: Sequence[Snapshot] = (), references: Sequence[Snapshot] = (), **fields: Any) -> Case:
    """What all answers share: judged in full, on a dev set, unless said otherwise."""
    values: dict[str, Any] = {
        "profile_hash": "p" * 64,
        "short_circuit": False,
        "split": "dev",
        "now": NOW,
        "blocked_days": 14,
        "scoring": DEFAULT_PROFILE,
        "pages": {url_key(page.url): page for page in pages},
        "references": {url_key(page.url): page for page in references},
        "read": str,
        "collected_at": NOW,
        **fields,
    }
    return Case(**values)
