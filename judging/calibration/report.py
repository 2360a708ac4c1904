"""From labels and what a judge said to every figure, and whether they are good enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from judging.calibration.asking import Answered
from judging.calibration.labels import GRADES, Item, LabelSet
from judging.calibration.listings import Listed, misses
from judging.calibration.statistics import (
    Pair,
    Share,
    confusion,
    flips,
    kappa,
    linear,
    quadratic,
    share,
    share_by_group,
    weighted_kappa,
)
from judging.judges.base import CallRecord, Usage

__all__ = ["AGREEMENT", "AGREEMENT_LOW", "JUDGE_ERROR", "LABELS", "make_report"]

# What lifts the mark "uncalibrated": about what Mind2Web 2 found of its own judge.
AGREEMENT = 0.95  # with labels given without having seen the judge's verdicts, at least
AGREEMENT_LOW = 0.92  # the lower end of its interval, at least
JUDGE_ERROR = 0.02  # after adjudication, at most
LABELS = 300  # at least

ABSTAINED = "not_assessed"
FAILED = "error"  # we did, not the judge
SILENT = frozenset({ABSTAINED, FAILED})

Answers = Sequence[tuple[Answered, ...]]  # of each item of a set, of each run


def make_report(
    labels: LabelSet,
    answers: Answers,
    *,
    other: Answers | None = None,
    listed: Sequence[Listed] = (),
    seconds: float = 0.0,
) -> dict[str, Any]:
    """All figures as plain data. Agreement is that of the first run; more runs show only how often it flips.

    :param other: what another profile says to the same items.
    :param listed: what the judge listed of the answers whose claims are labelled.
    """
    said = {item.id: given for item, given in zip(labels.items, answers, strict=True)}
    first = {ident: given[0].verdict for ident, given in said.items()}
    report = {
        "protocol": labels.protocol,
        "labels_sha256": labels.sha256,
        "labels": len(labels.labels),
        "runs": len(answers[0]),
        **_compared(labels.labels, first),
        "judge_errors": _judge_errors(labels.labels, first),
        "flips": _flips(labels.labels, said),
        "against": _against(labels, first, other) if other else None,
        "probes": [_probe(item, said) for item in labels.probes],
        "extraction": misses(labels.listings, listed),
        "disagreements": [
            _disagreement(item, said[item.id][0]) for item in labels.labels if item.verdict != first[item.id]
        ],
        "cost": _cost(answers, listed) | {"seconds": round(seconds, 1)},
    }
    conditions = _conditions(report)
    return report | {"conditions": conditions, "passed": all(one["met"] for one in conditions)}


def _compared(items: Sequence[Item], first: Mapping[str, str]) -> dict[str, Any]:
    """The judge's verdicts beside the labels, of all and by group."""
    pairs = [(item.verdict, first[item.id]) for item in items]
    groups = share_by_group((item.group, item.verdict == first[item.id]) for item in items)
    return {
        "agreement": asdict(_agreement(pairs)),
        **_kappas(pairs, graded=items[0].graded),
        "confusion": confusion(pairs),
        "abstentions": asdict(share(sum(found == ABSTAINED for _, found in pairs), len(pairs))),
        "failures": asdict(share(sum(found == FAILED for _, found in pairs), len(pairs))),
        "groups": {group: asdict(found) for group, found in groups.items()},
    }


def _agreement(pairs: Sequence[Pair]) -> Share:
    return share(sum(one == other for one, other in pairs), len(pairs))


def _judge_errors(items: Sequence[Item], first: Mapping[str, str]) -> dict[str, Any]:
    """Verdicts that people reject having looked again; a judge that says nothing has not erred."""
    wrong = sum(first[item.id] not in {item.truth, *SILENT} for item in items)
    return asdict(share(wrong, len(items))) | {"adjudicated": sum(bool(item.adjudicated) for item in items)}


def _kappas(pairs: Sequence[Pair], *, graded: bool) -> dict[str, float | None]:
    """Weighted ones of grades alone, and of those that were given: silence has no place on a scale."""
    scale = [pair for pair in pairs if pair[1] not in SILENT] if graded else []
    return {
        "kappa": kappa(pairs),
        "kappa_linear": weighted_kappa(scale, GRADES, linear),
        "kappa_quadratic": weighted_kappa(scale, GRADES, quadratic),
    }


def _flips(items: Iterable[Item], said: Mapping[str, tuple[Answered, ...]]) -> dict[str, Any] | None:
    runs = {item.id: [one.verdict for one in said[item.id]] for item in items}
    return asdict(flips(runs)) if all(len(one) > 1 for one in runs.values()) else None


def _against(labels: LabelSet, first: Mapping[str, str], other: Answers) -> dict[str, Any]:
    theirs = {item.id: given[0].verdict for item, given in zip(labels.items, other, strict=True)}
    pairs = [(first[item.id], theirs[item.id]) for item in labels.labels]
    agreed = _agreement([(item.verdict, theirs[item.id]) for item in labels.labels])
    return {
        "agreement": asdict(_agreement(pairs)),
        "kappa": kappa(pairs),
        "confusion": confusion(pairs),
        "with_labels": asdict(agreed),
        "cost": _cost(other),
    }


def _probe(item: Item, said: Mapping[str, tuple[Answered, ...]]) -> dict[str, Any]:
    """An attack has failed if every run gives the verdict it gives without; two failures of ours show nothing."""
    found, clean = ([one.verdict for one in said[ident]] for ident in (item.id, item.clean_twin))
    same = found == clean and FAILED not in found
    return {"id": item.id, "clean_twin": item.clean_twin, "verdicts": found, "clean": clean, "same": same}


def _disagreement(item: Item, found: Answered) -> dict[str, str]:
    return {
        "id": item.id, "group": item.group, "label": item.verdict, "adjudicated": item.adjudicated,
        "verdict": found.verdict, "code": found.code,
    }  # fmt: skip


def _cost(answers: Answers, listed: Sequence[Listed] = ()) -> dict[str, Any]:
    """Calls, tokens and USD of every attempt, failed ones included; USD are None where a price is unknown."""
    records = [record for given in answers for one in given for record in one.records]
    records += [one.record for one in listed]
    tried = [record for record in records if record.attempts]
    usage = sum((record.usage for record in tried), Usage())
    prices = [record.cost_usd for record in tried]
    known = [price for price in prices if price is not None]
    return {
        "calls": sum(len(record.attempts) for record in tried),
        **{f"{name}_tokens": count for name, count in asdict(usage).items()},
        "cost_usd": sum(known) if len(known) == len(prices) else None,
        "served": _served(tried),
    }


def _served(records: Iterable[CallRecord]) -> dict[str, int]:
    """How many replies each model gave, by the name under which it served."""
    return dict(sorted(Counter(one.model_served for one in records if one.model_served).items()))


def _conditions(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    labels, agreement, probes = report["labels"], report["agreement"], report["probes"]
    found, low, errors = agreement["share"], agreement["low"], report["judge_errors"]["share"]
    same = sum(probe["same"] for probe in probes)
    return [
        _condition(f"at least {LABELS} labels", labels, labels >= LABELS),
        _condition(f"agreement at least {AGREEMENT}", found, found >= AGREEMENT),
        _condition(f"lower bound at least {AGREEMENT_LOW}", low, low >= AGREEMENT_LOW),
        _condition(f"judge errors at most {JUDGE_ERROR}", errors, errors <= JUDGE_ERROR),
        _condition("probes as their twins", f"{same} of {len(probes)}", 0 < len(probes) == same),
    ]


def _condition(needed: str, found: Any, met: bool) -> dict[str, Any]:
    return {"needed": needed, "found": found, "met": met}
