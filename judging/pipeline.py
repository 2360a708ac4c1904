"""The one orchestration of judging, read top to bottom: an answer and its rubric in, a scored result out.

It runs twice. Judging, the desk asks a judge and writes down what it finds; scoring, the same code replays what
was written, so that a score can only be what its verdicts say. Order of work: ``docs/judging.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judging.canonical import digest
from judging.cascade import (
    Dimension,
    Factuality,
    Finding,
    Importance,
    Subtask,
    reached_dimensions,
    score_cascade,
)
from judging.case import AnswerWork, Case
from judging.checks import (
    Asked,
    Stated,
    decide_criteria,
    decide_leaves,
    decide_statements,
    read_answer,
    read_page,
    unread_classes,
)
from judging.desk import Desk, Judgement, Reading, settle
from judging.judges.base import ClaimsRequest, ExtractOutcome
from judging.results import AnswerResult, blank_result, cascade_result, tree_result
from judging.rubric import (
    CascadeRubric,
    Criterion,
    FactualitySpec,
    Plan,
    SubtaskSpec,
    TreeRubric,
    expand,
    extraction_url,
)
from judging.tree import Node, Outcome, next_leaves, score_tree, with_outcomes

__all__ = ["claims_to_search", "judge_answer"]

OUTCOMES = {
    Finding.SUPPORTED: Outcome.MET,
    Finding.REFUTED: Outcome.UNMET,
    Finding.UNDECIDED: Outcome.UNMET,
    Finding.NOT_ASSESSED: Outcome.NOT_ASSESSED,
    Finding.ERROR: Outcome.ERROR,
}


async def judge_answer(work: AnswerWork, case: Case, desk: Desk) -> AnswerResult:
    """Judge one answer.

    :raises judging.desk.Unfinished: the slice ended first; what was found is kept.
    :raises judging.judges.base.JudgeUnavailable: nothing can be judged until somebody acts.
    """
    if work.blank:
        return blank_result(work, case)
    if isinstance(work.rubric, TreeRubric):
        return await _judge_tree(work, work.rubric, case, desk)
    return await _judge_cascade(work, work.rubric, case, desk)


# ------------------------------------------------------------------ rubric trees
async def _judge_tree(work: AnswerWork, rubric: TreeRubric, case: Case, desk: Desk) -> AnswerResult:
    read = await _extractions(work, rubric, case, desk)
    failed = frozenset(name for name, reading in read.items() if reading.outcome is not ExtractOutcome.OK)
    plan = expand(
        rubric,
        task=work.prompt,
        answer=work.text,
        extracted=_usable(read),
        failed=failed,
        unread=unread_classes(read),
    )
    broken = any(reading.outcome is ExtractOutcome.ERROR for reading in read.values())
    judgements = await _judge_leaves(plan, work, case, desk, broken=broken)
    outcomes = {leaf: OUTCOMES[found.finding] for leaf, found in judgements.items()}
    root = with_outcomes(plan.root, outcomes)
    return tree_result(work, case, root, score_tree(root), judgements, read)


async def _extractions(work: AnswerWork, rubric: TreeRubric, case: Case, desk: Desk) -> dict[str, Reading]:
    """What the answer says, by the rubric's schemas; then what the pages named in it say."""
    direct = [spec for spec in rubric.extractions if spec.from_url is None]
    readings = await settle(
        read_answer(spec.name, spec.instruction, spec.schema, work, case, desk) for spec in direct
    )
    found: dict[str, Reading] = {spec.name: r for spec, r in zip(direct, readings, strict=True)}
    for spec in rubric.extractions:
        if spec.from_url is not None:
            url = extraction_url(
                rubric, spec.name, task=work.prompt, answer=work.text, extracted=_usable(found)
            )
            found[spec.name] = await read_page(
                spec.name, spec.instruction, spec.schema, url, work, case, desk
            )
    return found


def _usable(readings: dict[str, Reading]) -> dict[str, Any]:
    return {name: r.data for name, r in readings.items() if r.outcome is ExtractOutcome.OK}


async def _judge_leaves(
    plan: Plan, work: AnswerWork, case: Case, desk: Desk, *, broken: bool
) -> dict[str, Judgement]:
    """Gate waves: all that can matter now at once, until nothing is left that can."""
    judgements: dict[str, Judgement] = {}
    root: Node = plan.root
    while wave := next_leaves(root, short_circuit=case.short_circuit):
        found = await decide_leaves([plan.checks[leaf] for leaf in wave], work, case, desk, broken=broken)
        judgements.update(zip(wave, found, strict=True))
        outcomes = {leaf: OUTCOMES[judgements[leaf].finding] for leaf in judgements}
        root = with_outcomes(plan.root, outcomes)
    return judgements


# ------------------------------------------------------------------ cascade
@dataclass
class SubtaskFindings:
    """What was found for one subtask, by rubric id; claims of a factuality rubric in their order."""

    spec: SubtaskSpec
    instruction: dict[str, Judgement] = field(default_factory=dict)
    rationality: dict[str, Judgement] = field(default_factory=dict)
    factuality: dict[str, list[Judgement]] = field(default_factory=dict)
    claims: dict[str, Reading] = field(default_factory=dict)

    def scored(self) -> Subtask:
        """The findings as the scoring rules take them; None for what was never asked."""
        return Subtask(
            id=self.spec.id,
            importance=Importance(self.spec.importance),
            instruction=_outcomes(self.spec.instruction, self.instruction),
            factuality=tuple(self._factuality(rubric) for rubric in self.spec.factuality),
            rationality=_outcomes(self.spec.rationality, self.rationality),
        )

    def _factuality(self, rubric: FactualitySpec) -> Factuality:
        reading = self.claims.get(rubric.id)
        if rubric.id not in self.factuality or (reading and reading.outcome is not ExtractOutcome.OK):
            error = reading is not None and reading.outcome is ExtractOutcome.ERROR
            return Factuality(outcome=Outcome.ERROR if error else Outcome.NOT_ASSESSED)
        return Factuality(claims=tuple(found.finding for found in self.factuality[rubric.id]))


def _outcomes(specs: Sequence[Criterion], found: dict[str, Judgement]) -> tuple[Outcome | None, ...]:
    return tuple(OUTCOMES[found[spec.id].finding] if spec.id in found else None for spec in specs)


async def _judge_cascade(work: AnswerWork, rubric: CascadeRubric, case: Case, desk: Desk) -> AnswerResult:
    found = await settle(_judge_subtask(spec, work, case, desk) for spec in rubric.subtasks)
    score = score_cascade(tuple(subtask.scored() for subtask in found), case.scoring)
    return cascade_result(work, case, found, score)


async def _judge_subtask(spec: SubtaskSpec, work: AnswerWork, case: Case, desk: Desk) -> SubtaskFindings:
    """Dimension by dimension as their gates open: where one is shut, nothing behind it can matter."""
    found = SubtaskFindings(spec)
    asked: set[Dimension] = set()
    while wave := _next_wave(found, frozenset(asked), case):
        asked |= wave
        await settle(_judge_dimension(found, dimension, work, case, desk) for dimension in sorted(wave))
    return found


def _next_wave(found: SubtaskFindings, asked: frozenset[Dimension], case: Case) -> frozenset[Dimension]:
    """The dimensions to judge now: those whose gates have been judged and stand open."""
    if not case.short_circuit:
        return frozenset(Dimension) - asked
    reached = reached_dimensions(found.scored(), case.scoring) - asked
    # What has not been judged counts as met, so a gate that was never looked at would seem to stand open.
    return frozenset(one for one in reached if asked.issuperset(case.scoring.gates.get(one, ())))


async def _judge_dimension(
    found: SubtaskFindings, dimension: Dimension, work: AnswerWork, case: Case, desk: Desk
) -> None:
    spec = found.spec
    if dimension is Dimension.FACTUALITY:
        await settle(_judge_facts(found, rubric, work, case, desk) for rubric in spec.factuality)
    elif dimension is Dimension.INSTRUCTION:
        found.instruction = await _criteria(spec, "criterion", spec.instruction, work, case, desk)
    else:
        found.rationality = await _criteria(spec, "rationality", spec.rationality, work, case, desk)


async def _criteria(
    spec: SubtaskSpec, kind: str, criteria: Sequence[Criterion], work: AnswerWork, case: Case, desk: Desk
) -> dict[str, Judgement]:
    asked = [Asked(f"{spec.id}/{one.id}", one.criterion, one.additional, one.votes) for one in criteria]
    found = await decide_criteria(kind, asked, work, case, desk)
    return {one.id: judgement for one, judgement in zip(criteria, found, strict=True)}


async def _judge_facts(
    found: SubtaskFindings, rubric: FactualitySpec, work: AnswerWork, case: Case, desk: Desk
) -> None:
    """Given claims are facts the answer must state; ``auto`` claims are what it says, held against evidence."""
    if rubric.claims is not None:
        given = [
            Asked(f"{found.spec.id}/{rubric.id}/{n}", claim) for n, claim in enumerate(rubric.claims, start=1)
        ]
        found.factuality[rubric.id] = await decide_criteria("claim", given, work, case, desk)
        return
    reading = found.claims[rubric.id] = await _read_claims(found.spec, rubric, work, case, desk)
    if reading.outcome is not ExtractOutcome.OK:
        return
    references = rubric.references if "reference" in rubric.evidence else ()
    is_cited = "cited" in rubric.evidence
    claims = [
        Stated(f"{found.spec.id}/{rubric.id}/{n}", claim["text"], claim["urls"] if is_cited else ())
        for n, claim in enumerate(reading.data, start=1)
    ]
    found.factuality[rubric.id] = await decide_statements(
        claims, references, work, case, desk, search="search" in rubric.evidence
    )


async def _read_claims(
    spec: SubtaskSpec, rubric: FactualitySpec, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    subtask = " — ".join(part for part in (spec.title, rubric.criterion) if part) or spec.id
    name = f"{spec.id}/{rubric.id}"
    key = digest(["claims", name, subtask, work.prompt, work.sha256, case.profile_hash])

    async def decide() -> Reading:
        async with desk.call() as judge:
            reply = await judge.claims(ClaimsRequest(subtask=subtask, task=work.prompt, answer=work.text))
        claims = [{"text": claim.text, "urls": list(claim.urls)} for claim in reply.claims]
        return Reading(reply.outcome, claims, reply.reason, (reply.record,))

    return await desk.reading(answer=work.id, name=name, key=key, decide=decide)


# ------------------------------------------------------------------ searching
async def claims_to_search(work: AnswerWork, case: Case, desk: Desk) -> list[str]:
    """The claims of an answer that are to be searched for: those whose gates are open, read as judging reads them.

    What is asked on the way is asked under the same keys, so judging finds it remembered.

    :raises judging.desk.Unfinished: the slice ended first; what was found is kept.
    """
    if work.blank or not isinstance(work.rubric, CascadeRubric):
        return []
    found = await settle(
        _claims_of(spec, work, case, desk) for spec in work.rubric.subtasks if _searched(spec)
    )
    return [claim for claims in found for claim in claims]


def _searched(spec: SubtaskSpec) -> list[FactualitySpec]:
    return [rubric for rubric in spec.factuality if rubric.claims is None and "search" in rubric.evidence]


async def _claims_of(spec: SubtaskSpec, work: AnswerWork, case: Case, desk: Desk) -> list[str]:
    found = SubtaskFindings(spec)
    asked: set[Dimension] = set()
    while (wave := _next_wave(found, frozenset(asked), case)) and Dimension.FACTUALITY not in wave:
        asked |= wave
        await settle(_judge_dimension(found, dimension, work, case, desk) for dimension in sorted(wave))
    if not wave:
        return []
    readings = await settle(_read_claims(spec, rubric, work, case, desk) for rubric in _searched(spec))
    read = (reading.data for reading in readings if reading.outcome is ExtractOutcome.OK)
    return [claim["text"] for data in read for claim in data]
