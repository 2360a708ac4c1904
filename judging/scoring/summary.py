"""The figures of a submission: means over tasks of means over runs. What is unknown is None, never NaN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any, Generic, NamedTuple, TypeVar

from judging.scoring.errors import ErrorClass
from judging.scoring.passes import pass_at_k, pass_hat_k
from judging.scoring.results import (
    CascadeResult,
    InvalidResults,
    References,
    Result,
    TreeResult,
    coverage_of,
)

R = TypeVar("R", bound=Result)

HALLUCINATION_SAMPLE = 100  # answers judged in full that stand for all of a system


class Average(NamedTuple):
    """Mean over the tasks that have a value, and how many these are; the mean of nothing is None."""

    value: float | None
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What both protocols show.

    ``answers`` were given; ``unknown`` is the number of task × run whose primary metric is None.
    ``coverage`` is the assessed share of all reached checks. ``error_shares`` are shares of the
    unmet checks whose class is known, the others being counted in ``errors_unclassified``; empty if
    there is none. ``hallucination_rate`` is a share of ``hallucination_answers``, and a lower bound where
    ``hallucination_at_least`` is set. Figures a task may lack come with the number of tasks behind them.
    """

    tasks: int
    runs: int
    answers: int
    unknown: int
    coverage: float
    error_counts: Mapping[str, int]
    error_shares: Mapping[str, float]
    errors_unclassified: int
    hallucination_rate: float | None
    hallucination_at_least: bool
    hallucination_answers: int
    reference_ratio: float | None
    reference_ratio_tasks: int
    reference_support: float | None
    reference_support_tasks: int
    reference_support_reachable: float | None
    reference_support_reachable_tasks: int
    seconds: float | None
    seconds_tasks: int
    answer_chars: float | None
    answer_chars_tasks: int
    cost_usd: float | None
    cost_usd_tasks: int

    @property
    def minutes(self) -> float | None:
        """Minutes a task, as the board shows them."""
        return None if self.seconds is None else self.seconds / 60

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: None for what is unknown, text for every key."""
        plain = {name: _plain(value) for name, value in asdict(self).items()}
        return {**plain, "minutes": self.minutes}


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSummary(Summary):
    """Metrics of Mind2Web 2, each in [0, 1], None while a root is unknown.

    ``partial_completion`` then lies between ``partial_completion_low`` and ``…_high``. ``pass_at`` and
    ``pass_hat`` hold a value for every k from 1 to the number of runs.
    """

    partial_completion: float | None
    partial_completion_low: float | None
    partial_completion_high: float | None
    success_rate: float | None
    pass_at: Mapping[int, float | None]
    pass_hat: Mapping[int, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeSummary(Summary):
    """Dimension scores over the tasks that have one, and the means of O and UserPref over all tasks.

    Each of the two means is None while one of its values is unknown; ``user_pref`` then lies between
    ``user_pref_low`` and ``…_high``.
    """

    instruction: float | None
    instruction_tasks: int
    factuality: float | None
    factuality_tasks: int
    rationality: float | None
    rationality_tasks: int
    undecided_share: float | None
    undecided_share_tasks: int
    overall: float | None
    user_pref: float | None
    user_pref_low: float | None
    user_pref_high: float | None


class _Grid(Generic[R]):
    """Results by task, one of each run; a missing one is filled in, so that it stays in every denominator."""

    def __init__(
        self, results: Iterable[R], runs: int, tasks: Iterable[str] | None, blank: Callable[[str, int], R]
    ) -> None:
        found = _by_place(results, runs)
        named = dict.fromkeys(task for task, _ in found) if tasks is None else dict.fromkeys(tasks)
        strangers = {task for task, _ in found} - named.keys()
        if strangers:
            raise InvalidResults(f"no task of this set: {', '.join(sorted(strangers))}")
        self.runs = runs
        self.rows = [
            [found.get((task, run)) or blank(task, run) for run in range(1, runs + 1)] for task in named
        ]
        self.all = [result for row in self.rows for result in row]
        self.given = [result for result in self.all if result.given]
        self.unknown = sum(not result.is_known for result in self.all)

    def average(self, value: Callable[[R], float | None]) -> Average:
        """Mean over tasks of the mean over the runs that have a value."""
        rows = [[v for result in row if (v := value(result)) is not None] for row in self.rows]
        means = [fsum(row) / len(row) for row in rows if row]
        return Average(fsum(means) / len(means) if means else None, len(means))

    def average_given(self, value: Callable[[R], float | None]) -> Average:
        """The same over answers that were given."""
        return self.average(lambda result: value(result) if result.given else None)

    def complete(self, value: Callable[[R], float]) -> float | None:
        """Mean over all tasks and runs; None while one of them is unknown."""
        return None if self.unknown else self.average(value).value


def summarise_tree(
    results: Iterable[TreeResult], runs: int, tasks: Iterable[str] | None = None
) -> TreeSummary:
    """Figures of a submission to a ``rubric_tree`` set with ``runs`` runs a task.

    ``tasks`` names all tasks of the set, by default those of ``results``; a missing answer counts 0.

    :raises InvalidResults: for a run or a task out of range, or one that comes twice.
    """
    grid = _Grid(results, runs, tasks, _blank_tree)
    perfect = [sum(result.score == 1.0 for result in row) for row in grid.rows]
    return TreeSummary(
        **_common(grid),
        partial_completion=grid.complete(lambda result: result.primary_ends[0]),
        partial_completion_low=grid.average(lambda result: result.primary_ends[0]).value,
        partial_completion_high=grid.average(lambda result: result.primary_ends[1]).value,
        success_rate=grid.complete(lambda result: float(result.score == 1.0)),
        pass_at=_passes(pass_at_k, perfect, grid),
        pass_hat=_passes(pass_hat_k, perfect, grid),
    )


def summarise_cascade(
    results: Iterable[CascadeResult], runs: int, tasks: Iterable[str] | None = None
) -> CascadeSummary:
    """Figures of a submission to a ``cascade`` set with ``runs`` runs a task.

    ``tasks`` names all tasks of the set, by default those of ``results``; a missing answer follows no
    instruction: UserPref 1, overall 0.

    :raises InvalidResults: for a run or a task out of range, or one that comes twice.
    """
    grid = _Grid(results, runs, tasks, _blank_cascade)
    overall_known = all(result.overall is not None for result in grid.all)
    return CascadeSummary(
        **_common(grid),
        **_with_tasks("instruction", grid.average(lambda result: result.instruction)),
        **_with_tasks("factuality", grid.average(lambda result: result.factuality)),
        **_with_tasks("rationality", grid.average(lambda result: result.rationality)),
        **_with_tasks("undecided_share", grid.average(lambda result: result.undecided_share)),
        overall=grid.average(lambda result: result.overall).value if overall_known else None,
        user_pref=grid.complete(lambda result: result.primary_ends[0]),
        user_pref_low=grid.average(lambda result: result.primary_ends[0]).value,
        user_pref_high=grid.average(lambda result: result.primary_ends[1]).value,
    )


def _blank_tree(task: str, run: int) -> TreeResult:
    return TreeResult(task=task, run=run, given=False, score=0.0)


def _blank_cascade(task: str, run: int) -> CascadeResult:
    return CascadeResult(
        task=task,
        run=run,
        given=False,
        instruction=0.0,
        factuality=None,
        rationality=None,
        overall=0.0,
        user_pref=1,
        references=References(),
    )


def _by_place(results: Iterable[R], runs: int) -> dict[tuple[str, int], R]:
    found: dict[tuple[str, int], R] = {}
    for result in results:
        place = (result.task, result.run)
        if place in found or not 1 <= result.run <= runs:
            raise InvalidResults(f"{result.task} run {result.run} of {runs}: twice, or out of range")
        found[place] = result
    return found


def _common(grid: _Grid[R]) -> dict[str, Any]:
    return {
        "tasks": len(grid.rows),
        "runs": grid.runs,
        "answers": len(grid.given),
        "unknown": grid.unknown,
        "coverage": coverage_of(grid.all),
        **_errors(grid.all),
        **_hallucinations(grid.given),
        **_with_tasks("reference_ratio", grid.average(_reference_ratio)),
        **_with_tasks("reference_support", grid.average(_reference_support)),
        **_with_tasks("reference_support_reachable", grid.average(_reference_support_reachable)),
        **_with_tasks("seconds", grid.average_given(lambda result: result.seconds)),
        **_with_tasks("answer_chars", grid.average_given(lambda result: result.answer_chars)),
        **_with_tasks("cost_usd", grid.average_given(lambda result: result.cost_usd)),
    }


def _reference_ratio(result: Result) -> float | None:
    return result.references.ratio if result.references else None


def _reference_support(result: Result) -> float | None:
    return result.references.support if result.references else None


def _reference_support_reachable(result: Result) -> float | None:
    return result.references.support_reachable if result.references else None


def _with_tasks(name: str, average: Average) -> dict[str, Any]:
    return {name: average.value, f"{name}_tasks": average.tasks}


def _errors(results: Iterable[Result]) -> dict[str, Any]:
    classes = [kind for result in results for kind in result.error_classes]
    found = Counter(ErrorClass(kind) for kind in classes if kind)
    counts = {str(kind): found[kind] for kind in ErrorClass if found[kind]}
    total = sum(counts.values())
    return {
        "error_counts": counts,
        "error_shares": {kind: number / total for kind, number in counts.items()},
        "errors_unclassified": len(classes) - total,
    }


def _hallucinations(given: Sequence[Result]) -> dict[str, Any]:
    """Short-circuiting hides errors: only answers judged in full give the rate, if they are all or enough."""
    in_full = [result for result in given if result.in_full]
    enough = len(in_full) == len(given) or len(in_full) >= HALLUCINATION_SAMPLE
    sample = in_full if enough else given
    seen = sum(result.hallucinated is True for result in sample)
    in_doubt = any(result.hallucinated is None for result in sample)
    return {
        "hallucination_rate": seen / len(sample) if sample else None,
        "hallucination_at_least": not enough or in_doubt,
        "hallucination_answers": len(sample),
    }


def _passes(
    formula: Callable[[int, int, int], float], perfect: Sequence[int], grid: _Grid[TreeResult]
) -> dict[int, float | None]:
    if grid.unknown or not perfect:
        return dict.fromkeys(range(1, grid.runs + 1))
    return {
        k: fsum(formula(grid.runs, count, k) for count in perfect) / len(perfect)
        for k in range(1, grid.runs + 1)
    }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return value
