"""What holds for every task and every profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from judging.cascade import (
    DEFAULT_PROFILE,
    Average,
    Combine,
    Factuality,
    Finding,
    Importance,
    ScoringProfile,
    Subtask,
    cascade_faults,
    score_cascade,
)
from judging.tree import Outcome
from tests.unit.judging.cascade.parts import (
    MET,
    REFUTED,
    SUPPORTED,
    UNDECIDED,
    UNKNOWN,
    UNKNOWN_CLAIMS,
    UNMET,
    F,
    I,
    R,
)

KNOWN_VERDICTS = st.sampled_from((MET, UNMET))
VERDICTS = st.sampled_from((MET, UNMET, *UNKNOWN))
KNOWN_FINDINGS = st.sampled_from((SUPPORTED, REFUTED, UNDECIDED))
FINDINGS = st.sampled_from((SUPPORTED, REFUTED, UNDECIDED, *UNKNOWN_CLAIMS))
PROFILES = st.builds(
    ScoringProfile,
    gate_threshold=st.sampled_from((0.5, 1.0)),
    gates=st.sampled_from((DEFAULT_PROFILE.gates, {}, {F: (I,), R: (I, F)}, {R: (F,)})),
    average=st.sampled_from(Average),
    o_combine=st.sampled_from(Combine),
)


def factualities(
    verdicts: st.SearchStrategy[Outcome | None], findings: st.SearchStrategy[Finding | None]
) -> st.SearchStrategy[Factuality]:
    of_claims = st.builds(Factuality, claims=st.lists(findings, max_size=4).map(tuple))
    return of_claims | st.builds(Factuality, outcome=verdicts)


@st.composite
def tasks(
    draw: st.DrawFn,
    verdicts: st.SearchStrategy[Outcome | None] = VERDICTS,
    findings: st.SearchStrategy[Finding | None] = FINDINGS,
    max_subtasks: int = 4,
) -> list[Subtask]:
    def one(number: int) -> Subtask:
        return Subtask(
            f"s{number}",
            draw(st.sampled_from(Importance)),
            tuple(draw(st.lists(verdicts, max_size=3))),
            tuple(draw(st.lists(factualities(verdicts, findings), max_size=2))),
            tuple(draw(st.lists(verdicts, max_size=2))),
        )

    subtasks = [one(number) for number in range(draw(st.integers(1, max_subtasks)))]
    assume(not cascade_faults(subtasks))
    return subtasks


Verdict = Outcome | Finding | None


def variants(subtasks: Sequence[Subtask], old: Verdict, new: Verdict) -> Iterator[list[Subtask]]:
    """The task with one verdict or claim equal to ``old`` replaced by ``new``, for each such place."""
    for index, task in enumerate(subtasks):
        for changed in _changed_subtasks(task, old, new):
            yield [*subtasks[:index], changed, *subtasks[index + 1 :]]


def _changed_subtasks(task: Subtask, old: Any, new: Any) -> Iterator[Subtask]:
    for changed in _changed(task.instruction, old, new):
        yield replace(task, instruction=changed)
    for changed in _changed(task.rationality, old, new):
        yield replace(task, rationality=changed)
    for index, rubric in enumerate(task.factuality):
        others = (task.factuality[:index], task.factuality[index + 1 :])
        if rubric.claims is not None:
            changes = [Factuality(claims=changed) for changed in _changed(rubric.claims, old, new)]
        else:
            changes = [Factuality(outcome=o) for (o,) in _changed((rubric.outcome,), old, new)]
        for change in changes:
            yield replace(task, factuality=(*others[0], change, *others[1]))


def _changed(values: tuple[Any, ...], old: Any, new: Any) -> Iterator[tuple[Any, ...]]:
    for index, value in enumerate(values):
        if value is old:
            yield (*values[:index], new, *values[index + 1 :])


@given(tasks(), PROFILES, st.randoms(use_true_random=False))
def test_the_order_of_subtasks_rubrics_and_claims_changes_no_digit(
    subtasks: list[Subtask], profile: ScoringProfile, random: Random
) -> None:
    def mixed(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(random.sample(values, len(values)))

    def mixed_claims(rubric: Factuality) -> Factuality:
        return rubric if rubric.claims is None else Factuality(claims=mixed(rubric.claims))

    other = [
        replace(
            task,
            instruction=mixed(task.instruction),
            factuality=mixed(tuple(map(mixed_claims, task.factuality))),
            rationality=mixed(task.rationality),
        )
        for task in mixed(tuple(subtasks))
    ]
    one, two = score_cascade(subtasks, profile), score_cascade(other, profile)
    assert replace(one, subtasks=()) == replace(two, subtasks=())
    assert sorted(one.subtasks, key=lambda s: s.id) == sorted(two.subtasks, key=lambda s: s.id)


@given(tasks(), PROFILES)
def test_scores_are_within_bounds(subtasks: list[Subtask], profile: ScoringProfile) -> None:
    score = score_cascade(subtasks, profile)
    shares = [score.instruction, score.factuality, score.rationality, score.undecided_share]
    assert all(share is None or 0.0 <= share <= 1.0 for share in shares)
    assert 0.0 <= score.low <= score.high <= 1.0
    assert 1 <= score.user_pref_low <= score.user_pref_high <= 4
    assert 0 <= score.assessed <= score.checks
    assert score.overall in (None, score.low)
    assert score.user_pref in (None, score.user_pref_low)


def has_few_unknown(subtasks: Sequence[Subtask]) -> bool:
    verdicts = [
        verdict
        for task in subtasks
        for rubric in task.factuality
        for verdict in (rubric.claims if rubric.claims is not None else (rubric.outcome,))
    ] + [outcome for task in subtasks for outcome in (*task.instruction, *task.rationality)]
    return sum(verdict in UNKNOWN_CLAIMS or verdict in UNKNOWN for verdict in verdicts) <= 5


def completions(subtasks: Sequence[Subtask]) -> Iterator[list[Subtask]]:
    """The task with every unknown verdict decided, in every way."""

    def decided(task: Subtask) -> Iterator[Subtask]:
        instructions = product(*[_choices(o) for o in task.instruction])
        rationalities = list(product(*[_choices(o) for o in task.rationality]))
        factualities = list(product(*[list(_decided(rubric)) for rubric in task.factuality]))
        for i, f, r in product(instructions, factualities, rationalities):
            yield replace(task, instruction=i, factuality=f, rationality=r)

    return (list(chosen) for chosen in product(*[list(decided(task)) for task in subtasks]))


def _choices(outcome: Outcome | None) -> tuple[Outcome, ...]:
    return (outcome,) if outcome in (MET, UNMET) else (MET, UNMET)


def _decided(rubric: Factuality) -> Iterator[Factuality]:
    if rubric.claims is None:
        yield from (Factuality(outcome=outcome) for outcome in _choices(rubric.outcome))
        return
    choices = [
        (SUPPORTED, REFUTED, UNDECIDED) if claim in UNKNOWN_CLAIMS else (claim,) for claim in rubric.claims
    ]
    yield from (Factuality(claims=chosen) for chosen in product(*choices))


@given(tasks(max_subtasks=2).filter(has_few_unknown), PROFILES)
def test_the_ends_hold_every_completion_and_agree_only_if_all_do(
    subtasks: list[Subtask], profile: ScoringProfile
) -> None:
    unknown = score_cascade(subtasks, profile)
    scores = [score_cascade(completed, profile) for completed in completions(subtasks)]
    overall = {score.overall for score in scores}
    pref = {score.user_pref for score in scores}
    assert (unknown.low, unknown.high) == (
        min(overall, key=lambda o: o or 0.0),
        max(overall, key=lambda o: o or 0.0),
    )
    assert unknown.overall == (overall.pop() if len(overall) == 1 else None)
    assert unknown.user_pref == (pref.pop() if len(pref) == 1 else None)


RAISES: list[tuple[Verdict, Verdict]] = [(UNMET, MET), (REFUTED, SUPPORTED), (UNDECIDED, SUPPORTED)]


@given(tasks(KNOWN_VERDICTS, KNOWN_FINDINGS), PROFILES, st.sampled_from(RAISES))
def test_raising_a_verdict_or_claim_never_lowers_overall_or_preference(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for raised in variants(subtasks, *change):
        after = score_cascade(raised, profile)
        assert after.low >= before.low
        assert after.user_pref_low >= before.user_pref_low


@given(tasks(), PROFILES, st.sampled_from(RAISES))
def test_raising_beside_unknown_verdicts_never_lowers_either_end(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for raised in variants(subtasks, *change):
        after = score_cascade(raised, profile)
        assert after.low >= before.low
        assert after.high >= before.high
        assert after.user_pref_low >= before.user_pref_low
        assert after.user_pref_high >= before.user_pref_high


EVASIONS: list[tuple[Verdict, Verdict]] = [
    (REFUTED, UNDECIDED),
    *((REFUTED, unknown) for unknown in UNKNOWN_CLAIMS),
    *((UNDECIDED, unknown) for unknown in UNKNOWN_CLAIMS),
    *((UNMET, unknown) for unknown in UNKNOWN),
]


@given(tasks(), PROFILES, st.sampled_from(EVASIONS))
def test_undecided_claims_and_abstaining_judges_never_raise_overall_or_preference(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for evaded in variants(subtasks, *change):
        after = score_cascade(evaded, profile)
        assert after.overall is None or after.overall == before.overall
        assert after.user_pref is None or after.user_pref == before.user_pref
        assert (after.low, after.user_pref_low) == (before.low, before.user_pref_low)


@given(tasks(), PROFILES)
def test_dropping_all_refuted_claims_never_makes_an_answer_worth_more_than_without_facts(
    subtasks: list[Subtask], profile: ScoringProfile
) -> None:
    silent = [
        replace(task, factuality=tuple(Factuality(claims=()) for _ in task.factuality)) for task in subtasks
    ]
    assert score_cascade(silent, profile).low <= score_cascade(subtasks, profile).low
