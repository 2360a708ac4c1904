"""What a judge is asked and what it answers: the door between the pipeline and every model.

A judge decides single checks. It knows nothing of trees, scores, submissions or the database. Every
reply says what it cost and how it came about (:class:`CallRecord`), so that a verdict can be shown with
its reason for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from judging.cascade import Finding
from judging.codes import VerdictCode

__all__ = [
    "AnswerState",
    "Attempt",
    "Bill",
    "CachedReply",
    "CallRecord",
    "ClaimsReply",
    "ClaimsRequest",
    "ExtractOutcome",
    "ExtractReply",
    "ExtractRequest",
    "ExtractedClaim",
    "Finding",
    "Judge",
    "JudgeUnavailable",
    "Passage",
    "Picture",
    "Relevance",
    "ReplyCache",
    "Usage",
    "VerifyReply",
    "VerifyRequest",
    "one_by_one",
    "unbilled",
]


class JudgeUnavailable(Exception):
    """The endpoint will not answer any call until somebody acts: quota gone, key refused, wrong model served.

    The run pauses with ``reason`` (a code of the closed list); nothing is scored.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class AnswerState(StrEnum):
    """What the answer does about the thing a criterion asks for."""

    GIVES = "gives"
    OMITS = "omits"
    SAYS_NOT_FOUND = "says_not_found"


class Relevance(StrEnum):
    """What a page has to do with a claim."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"
    UNUSABLE = "unusable"


class ExtractOutcome(StrEnum):
    """How an extraction ended; anything but ``ok`` makes the leaves that need it *not assessed*."""

    OK = "ok"
    TRUNCATED = "truncated"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot: the SHA-256 of its bytes, its media type, pixels, and the bytes."""

    sha256: str
    media_type: str
    width: int
    height: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passage:
    """A snapshot as a judge sees it: the text, or the parts of it that fit the budget.

    ``ranges`` are half-open character ranges of the snapshot's full text, in order. ``picture`` is shown beside the text
    where a leaf asks for it.
    """

    snapshot: str  # SHA-256 of the snapshot's text
    url: str
    title: str
    text: str
    ranges: tuple[tuple[int, int], ...]
    truncated: bool = False
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """Read structured data out of the answer (``page`` is None) or out of one page."""

    name: str
    instruction: str
    schema: Mapping[str, Any]
    task: str
    answer: str
    page: Passage | None = None


@dataclass(frozen=True, slots=True)
class ClaimsRequest:
    """List the factual claims the answer makes about one subtask, with the URLs it cites for each."""

    subtask: str
    task: str
    answer: str
    limit: int = 40


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """One check.

    ``kind``: ``claim`` (is the statement true, by the page if there is one, else by task and answer),
    ``criterion`` (does the answer satisfy it), ``rationality`` (does the answer's reasoning satisfy it).
    ``check`` is an opaque id: the judge must not learn the author's ids. ``sample`` numbers the votes, or the seats of a
    panel: each is asked by its own number.
    """

    check: str
    kind: Literal["claim", "criterion", "rationality"]
    statement: str
    task: str
    answer: str | None = None
    page: Passage | None = None
    additional: str = ""
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of all attempts of one call together."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request on the wire. ``error`` is a code, ``""`` for a usable reply."""

    error: str = ""
    status: int | None = None
    latency_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    detail: str = ""


# Who is told what an attempt cost in USD, None where there is no price for it.
Bill = Callable[[Attempt, float | None], None]


def unbilled(attempt: Attempt, cost_usd: float | None) -> None:
    """A bill that nobody reads."""


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A usable reply as the reply cache keeps it (never a failure, refusal or truncation)."""

    key: str  # SHA-256 of everything that shaped the reply
    content: str  # the reply's text, as received
    model_served: str
    finish_reason: str
    usage: Usage
    model_asked: str = ""  # known of a reply that was just received


@dataclass(frozen=True, slots=True)
class CallRecord:
    """Where a reply came from. ``attempts`` is empty for a cache hit and for offline judges.

    A vote also says what it was: ``sample`` numbers it, or the seat of a panel; ``finding`` and ``code`` are what it said,
    ``page`` is the URL, as cited, that it was asked about. Records of before they were kept have none of these.
    ``shared`` is how many checks the last call was about; the first of them carries its attempts and their cost.
    ``picture`` says what became of one that was to be shown: ``shown``, ``refused`` or ``ignored``; ``""`` without one.
    """

    judge: str
    prompt_hash: str = ""
    prompt_version: str = ""
    model_asked: str = ""
    model_served: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str = ""
    attempts: tuple[Attempt, ...] = ()
    cached: bool = False
    cost_usd: float | None = None
    truncated: bool = False
    sample: int = 0
    finding: str = ""
    code: str = ""
    page: str = ""
    shared: int = 1
    picture: str = ""

    @property
    def usage(self) -> Usage:
        """Tokens of every attempt, failed ones included: all of them were paid."""
        return sum((a.usage for a in self.attempts), Usage())


@dataclass(frozen=True, slots=True)
class ExtractReply:
    """``data`` validates against the request's schema when ``outcome`` is ``ok``; None otherwise."""

    outcome: ExtractOutcome
    data: Any
    record: CallRecord
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedClaim:
    """A claim in the answer's words and the URLs cited for it, as cited, in order."""

    text: str
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimsReply:
    """The claims of one subtask; an answer without claims is ``ok`` with an empty tuple."""

    outcome: ExtractOutcome
    claims: tuple[ExtractedClaim, ...]
    record: CallRecord
    reason: str = ""


@dataclass(frozen=True, slots=True)
class VerifyReply:
    """The finding of one check.

    For criteria ``supported`` means met and ``refuted`` means not met. ``not_assessed`` carries a code in
    ``code`` (``refusal``, ``truncated``, ``quote_mismatch``, …), ``error`` the class of our own failure. ``reason``
    and ``quote`` are for admins and dev sets only. ``seen_in`` (``text`` or ``picture``) says what a verdict rests on
    where a picture was shown.
    """

    finding: Finding
    record: CallRecord
    code: VerdictCode = VerdictCode.NONE
    reason: str = ""
    quote: str = ""
    answer_state: AnswerState | None = None
    relevance: Relevance | None = None
    seen_in: str = ""


class ReplyCache(Protocol):
    """Remembers usable replies by key. The pipeline's implementation writes them with the verdicts."""

    async def get(self, key: str) -> CachedReply | None: ...

    async def put(self, reply: CachedReply) -> None: ...


class Judge(Protocol):
    """One way of deciding checks. One instance serves one event loop; ``aclose`` is called at its end.

    Methods never raise for a single check that could not be decided (the reply says so); they raise
    :class:`JudgeUnavailable` when no check can be decided until somebody acts.
    """

    name: str
    offline: bool

    async def extract(self, request: ExtractRequest) -> ExtractReply: ...

    async def claims(self, request: ClaimsRequest) -> ClaimsReply: ...

    async def verify(self, request: VerifyRequest) -> VerifyReply: ...

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """Decide checks that share page, task, answer, kind and sample, in their order: in one call, or :func:`one_by_one`.

        What a call costs stands once among the records. ``group``: all that were asked together before, where it is more
        than these; a judge that remembers the reply need not ask again.
        """

    def votes(self, wanted: int) -> int:
        """How many votes decide where ``wanted`` are asked for: one if all would be the same, a panel's seats if it is one."""

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Change this worker's share of the endpoint's limits (0 tokens: no limit); an offline judge has none."""

    async def aclose(self) -> None: ...


async def one_by_one(judge: Judge, requests: Sequence[VerifyRequest]) -> list[VerifyReply]:
    """``verify_group`` of a judge to which a group means nothing."""
    return [await judge.verify(request) for request in requests]
