"""The columns of numbers of each protocol. Pure.

A board stores the columns it was published with, so a change here touches the next board only.
"""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.ranking import Direction, Metric, Unit

CASCADE = "cascade"
ACCEPTABLE = 3.0

T_OVER_TASKS = "95 % t interval over tasks"
T_CLUSTERED = "95 % t interval over tasks, errors clustered (CR1)"
WILSON = "95 % Wilson interval"

_HIGHER, _LOWER, _NEITHER = Direction.HIGHER, Direction.LOWER, Direction.NEITHER

_HALLUCINATION = Metric(
    key="hallucination_rate",
    label="Hallucination",
    meaning="Share of answers with at least one invalid or unsupported citation.",
    direction=_LOWER,
    decimals=3,
)
_COMMON = (
    Metric(
        key="reference_ratio",
        label="Reference ratio",
        meaning="Share of claims that carry a citation.",
        direction=_HIGHER,
        decimals=3,
    ),
    Metric(
        key="reference_support",
        label="Reference support",
        meaning="Share of assessed cited claims that one of the cited pages supports.",
        direction=_HIGHER,
        decimals=3,
    ),
    Metric(
        key="minutes",
        label="Time",
        meaning="Minutes a task, from the start and end times the team reported.",
        direction=_LOWER,
        decimals=1,
        unit=Unit.MINUTES,
        high=None,
    ),
    Metric(
        key="cost_usd",
        label="Cost",
        meaning="US dollars a task, as reported by the team.",
        direction=_LOWER,
        decimals=3,
        unit=Unit.USD,
        high=None,
    ),
    Metric(
        key="answer_chars",
        label="Length",
        meaning="Characters an answer.",
        direction=_NEITHER,
        decimals=0,
        unit=Unit.CHARACTERS,
        high=None,
    ),
)


def metrics_of(protocol: str, *, runs: int, clustered: bool) -> tuple[Metric, ...]:
    """The columns of a set of ``protocol`` with ``runs`` runs a task, the primary metric first."""
    over_tasks = T_CLUSTERED if clustered else T_OVER_TASKS
    own = _cascade(over_tasks) if protocol == CASCADE else _tree(over_tasks, runs)
    return (*own, _HALLUCINATION, *_COMMON)


def _cascade(over_tasks: str) -> tuple[Metric, ...]:
    return (
        Metric(
            key="user_pref",
            label="UserPref",
            meaning="Mean user preference, 1 to 4, by rules from a task's bands; 3 is acceptable.",
            direction=_HIGHER,
            decimals=2,
            unit=Unit.POINTS,
            low=1.0,
            high=4.0,
            primary=True,
            interval=over_tasks,
            line=ACCEPTABLE,
            line_meaning="3 = acceptable",
        ),
        *(_dimension(*words) for words in _DIMENSIONS),
    )


_DIMENSIONS = (
    ("instruction", "Instruction following", "What was asked for is there."),
    (
        "factuality",
        "Factuality",
        "Decided claims that the evidence supports, where instructions were followed.",
    ),
    ("rationality", "Rationality", "Sound reasoning, where instructions were followed."),
    ("overall", "Overall", "Importance-weighted mean of the subtasks' scores."),
)


def _dimension(key: str, label: str, meaning: str) -> Metric:
    return Metric(key=key, label=label, meaning=meaning, direction=_HIGHER, decimals=3)


def _tree(over_tasks: str, runs: int) -> tuple[Metric, ...]:
    metrics = (
        Metric(
            key="partial_completion",
            label="Partial Completion",
            meaning="Mean root score of the rubric trees.",
            direction=_HIGHER,
            decimals=3,
            primary=True,
            interval=over_tasks,
        ),
        Metric(
            key="success_rate",
            label="Success Rate",
            meaning="Share of answers that meet their whole rubric tree.",
            direction=_HIGHER,
            decimals=3,
            interval=WILSON if runs == 1 else over_tasks,
        ),
    )
    return metrics if runs == 1 else (*metrics, _pass_at(runs))


def _pass_at(runs: int) -> Metric:
    return Metric(
        key=f"pass_at_{runs}",
        label=f"Pass@{runs}",
        meaning=f"Share of tasks with at least one perfect answer, of {runs} runs.",
        direction=_HIGHER,
        decimals=3,
    )


MARKS: Mapping[str, str] = {
    "offline_judge": "offline judge, not for publication",
    "uncalibrated": "uncalibrated",
    "flagged": "flagged: under review",
}

REASONS: Mapping[str, str] = {
    "no_answers": "no answers",
    "score_unknown": "a task's score hangs on verdicts that are missing",
    "errors_left": "checks failed by our fault and wait for another try",
    "coverage_low": "too few checks could be assessed",
    "incomplete": "judging is incomplete",
    "judged_differently": "judged by another judge, rubric or profile than this board",
    "withdrawn": "withdrawn by its team",
}
