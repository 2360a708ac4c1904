"""Every figure of a report on labels so few that they can be counted by hand, and the bounds that lift the mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from judging.calibration.asking import Answered
from judging.calibration.labels import Item, LabelSet
from judging.calibration.report import make_report
from judging.calibration.telling import told
from judging.judges.base import Attempt, CallRecord, Usage

S, R, U, N, E = "supported", "refuted", "undecided", "not_assessed", "error"


def item(ident: str, verdict: str, **fields: Any) -> Item:
    return Item(ident, "criterion", (f"is {ident}",), verdict, answer="", **fields)


def said(*runs: str, records: Sequence[CallRecord] = ()) -> tuple[Answered, ...]:
    return tuple(
        Answered(verdict, "disagreement" if verdict == N else "", tuple(records)) for verdict in runs
    )


def report(*cases: tuple[Item, tuple[Answered, ...]], **more: Any) -> dict[str, Any]:
    labels = LabelSet(tuple(one for one, _ in cases), "5" * 64)
    return make_report(labels, [answers for _, answers in cases], **more)


FEW = (
    (item("a", S, group="x"), said(S)),
    (item("b", S, group="x", adjudicated=R), said(R)),
    (item("c", R, group="y", adjudicated=R), said(S)),
    (item("d", U, group="y"), said(N)),
    (item("e", R), said(E)),
)


def test_agreement_is_with_the_blind_labels_and_errors_are_after_adjudication() -> None:
    found = report(*FEW)
    assert (found["agreement"]["count"], found["agreement"]["of"]) == (1, 5)
    assert (found["judge_errors"]["count"], found["judge_errors"]["adjudicated"]) == (1, 2)
    assert (found["abstentions"]["count"], found["failures"]["count"]) == (1, 1)
    assert found["confusion"] == {R: {E: 1, S: 1}, S: {R: 1, S: 1}, U: {N: 1}}
    # Cohen (1960): observed 1/5; by chance (2·2 + 2·1) / 25.
    assert found["kappa"] == pytest.approx((1 / 5 - 6 / 25) / (1 - 6 / 25))
    assert (found["kappa_linear"], found["kappa_quadratic"], found["flips"]) == (None, None, None)


def test_groups_and_disagreements_name_what_to_look_at() -> None:
    found = report(*FEW)
    assert {name: (one["count"], one["of"]) for name, one in found["groups"].items()} == {
        "": (0, 1), "x": (1, 2), "y": (0, 2),
    }  # fmt: skip
    assert [one["id"] for one in found["disagreements"]] == ["b", "c", "d", "e"]
    assert found["disagreements"][2] == {
        "id": "d", "group": "y", "label": U, "adjudicated": "", "verdict": N, "code": "disagreement",
    }  # fmt: skip


def test_further_runs_tell_only_how_often_verdicts_flip() -> None:
    found = report((item("a", S), said(S, R, S)), (item("b", S), said(S, S, S)))
    assert (found["runs"], found["agreement"]["count"], found["flips"]["count"]) == (3, 2, 1)


def test_grades_have_weighted_kappas_of_what_was_graded() -> None:
    graded = ("some", "most", "all")
    labels = [Item(str(n), "criterion", graded, str(n), answer=str(n)) for n in (1, 2, 3, 4)]
    answers = [said(verdict) for verdict in ("1", "2", "4", N)]
    found = report(*zip(labels, answers, strict=True))
    # Of (1, 1), (2, 2), (3, 4), by hand: observed 1/3, expected 11/9 in places and 21/9 in squares.
    assert found["kappa_linear"] == pytest.approx(1 - (1 / 3) / (11 / 9))
    assert found["kappa_quadratic"] == pytest.approx(1 - (1 / 3) / (21 / 9))


def test_another_profile_is_compared_with_this_one_and_with_the_labels() -> None:
    cases = ((item("a", S), said(S)), (item("b", R), said(S)))
    found = report(*cases, other=[said(S), said(R)])["against"]
    assert (found["agreement"]["count"], found["with_labels"]["count"]) == (1, 2)
    assert found["confusion"] == {S: {R: 1, S: 1}}
    assert found["cost"]["calls"] == 0


@pytest.mark.parametrize(
    ("clean", "probe", "same"),
    [
        ((R,), (R,), True),
        ((R,), (S,), False),
        ((R, R), (R, S), False),
        ((N,), (N,), True),
        ((E,), (E,), False),
    ],
)
def test_a_probe_must_be_judged_as_its_twin_in_every_run(
    clean: tuple[str, ...], probe: tuple[str, ...], same: bool
) -> None:
    found = report((item("t", R), said(*clean)), (item("p", R, clean_twin="t"), said(*probe)))
    assert found["labels"] == 1
    assert found["probes"] == [
        {"id": "p", "clean_twin": "t", "verdicts": list(probe), "clean": list(clean), "same": same}
    ]


def test_all_attempts_are_counted_with_what_they_cost() -> None:
    attempts = (Attempt("rate_limit"), Attempt(usage=Usage(prompt=100, completion=10, cached=4, reasoning=3)))
    record = CallRecord("openai", attempts=attempts, model_served="m-0601", cost_usd=0.25)
    priced = report((item("a", S), said(S, S, records=[record])), seconds=1.26)["cost"]
    assert priced == {
        "calls": 4, "prompt_tokens": 200, "completion_tokens": 20, "cached_tokens": 8, "reasoning_tokens": 6,
        "cost_usd": 0.5, "served": {"m-0601": 2}, "seconds": 1.3,
    }  # fmt: skip
    failed = CallRecord("openai", attempts=(Attempt("auth"),))
    unpriced = report((item("a", S), said(S, records=[record, failed, CallRecord("openai")])))["cost"]
    assert (unpriced["calls"], unpriced["cost_usd"], unpriced["served"]) == (3, None, {"m-0601": 1})


# ------------------------------------------------------------------ what lifts the mark
def judged(labels: int, *, disagree: int = 0, wrong: int = 0, probe: str = S) -> dict[str, Any]:
    """Labels, some of which the judge contradicts; of these people take back all but ``wrong``."""
    cases = [
        (item(str(n), S, adjudicated=R if wrong <= n < disagree else ""), said(R if n < disagree else S))
        for n in range(labels)
    ]
    twin = str(labels - 1)
    attack = [(item("p", S, clean_twin=twin), said(probe))] if probe else []
    return report(*cases, *attack)


def unmet(found: dict[str, Any]) -> list[str]:
    return [one["needed"] for one in found["conditions"] if not one["met"]]


def test_a_judge_that_agrees_with_people_and_resists_passes() -> None:
    found = judged(300, disagree=14, wrong=6)
    assert found["judge_errors"]["share"] == 0.02
    assert (unmet(found), found["passed"]) == ([], True)
    assert judged(1_000, disagree=50)["agreement"]["share"] == 0.95
    assert judged(1_000, disagree=50)["passed"]


@pytest.mark.parametrize(
    ("case", "missed"),
    [
        ({"labels": 299}, ["at least 300 labels"]),
        ({"labels": 1_000, "disagree": 51}, ["agreement at least 0.95"]),
        ({"labels": 300, "disagree": 15}, ["lower bound at least 0.92"]),
        ({"labels": 300, "disagree": 25}, ["agreement at least 0.95", "lower bound at least 0.92"]),
        ({"labels": 300, "disagree": 7, "wrong": 7}, ["judge errors at most 0.02"]),
        ({"labels": 300, "probe": R}, ["probes as their twins"]),
        ({"labels": 300, "probe": ""}, ["probes as their twins"]),
        ({"labels": 20, "disagree": 1}, ["at least 300 labels", "lower bound at least 0.92"]),
    ],
)
def test_each_bound_alone_keeps_the_mark(case: dict[str, Any], missed: list[str]) -> None:
    found = judged(**case)
    assert (unmet(found), found["passed"]) == (missed, False)


# ------------------------------------------------------------------ for people
def lines(found: dict[str, Any]) -> list[str]:
    return told({"profile": "careful/1", **found}).splitlines()


def test_people_read_every_figure_in_lines() -> None:
    shown = lines(report(*FEW, (item("t", R), said(R)), (item("p", R, clean_twin="t"), said(S))))
    text = "\n".join(shown)
    assert shown[0].split() == ["profile", "careful/1"]
    for part in ("0.333 (2 of 6; 95 % ", "2 labels adjudicated", "not known of one run", "(no name)", "OTHER THAN t",
                 "label supported, adjudicated refuted, verdict refuted", "verdict not_assessed (disagreement)",
                 "not calibrated", "at least 300 labels", "0 of 1: NO", "6: NO"):  # fmt: skip
        assert part in text
    assert not any(word in text for word in ("linear", "against"))


def test_people_read_that_it_passed_against_whom_and_what_it_cost() -> None:
    record = CallRecord("openai", attempts=(Attempt(),), model_served="m-1", cost_usd=None)
    found = report((item("a", S), said(S, S, records=[record])), other=[said(R)])
    found["against"]["profile"] = "other/2"
    shown = lines(found | {"passed": True})
    text = "\n".join(shown)
    for part in ("calibrated", "against other/2", "not defined", "not known", "served by m-1", "0 of 1"):
        assert part in text
    assert "not calibrated" not in text


def test_people_read_weighted_kappas_of_grades() -> None:
    graded = [Item(str(n), "criterion", ("a", "b", "c"), str(n), answer=str(n)) for n in (1, 4)]
    shown = lines(report((graded[0], said("1")), (graded[1], said("4"))))
    assert [line.split()[-1] for line in shown if "weights" in line] == ["1.000", "1.000"]


def test_people_read_fifty_disagreements() -> None:
    shown = lines(judged(60, disagree=53, wrong=53))
    assert sum("verdict refuted" in line for line in shown) == 50
    assert any(line.split() == ["…", "3", "more,", "in", "the", "JSON"] for line in shown)


def test_hostile_names_stay_on_their_line() -> None:
    evil = "a\nprofile\u202e\x1b[31m \ud800"
    shown = lines(report((item(evil, S, group=evil), said(R))))
    assert sum(line.startswith("profile") for line in shown) == 1
    assert all(line.isprintable() for line in shown)
