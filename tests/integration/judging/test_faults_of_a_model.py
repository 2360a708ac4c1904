"""What a failing endpoint costs a submission that is judged over HTTP: no score, and few calls."""

from __future__ import annotations

from typing import Any

import pytest

from judging.models import Verdict
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, again, asked, changed
from tests.judging_factories import (
    REPORT_RIGHT,
    answer_of,
    cascade_files,
    findings,
    import_set,
    judged,
    lake_task,
    scores_of,
    tree_files,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]


def test_a_failing_endpoint_changes_no_score_and_only_what_failed_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"Brume is 14 kilometres": "server_error"}
    submission = judged(import_set(tree_files()), BOTH)
    assert (submission.state, submission.incomplete_reasons) == (
        "incomplete",
        ["score_unknown", "errors_left", "coverage_low"],
    )
    assert scores_of(submission) == {"brume": None, "sallow": 0.5}
    assert findings(submission)["brume/length"] == "error"
    assert Verdict.objects.get(answer__task__key="brume", check_id="length").code == "server_error"
    answer = answer_of(submission, "brume")
    assert answer.metrics is not None
    assert answer.coverage == pytest.approx(2 / 3)
    assert answer.metrics["errors"] == 1
    endpoint.reset()
    again(submission)
    assert asked(endpoint) == ["Lake Brume is 14 kilometres long"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    assert submission.incomplete_reasons == []


def test_an_extraction_that_fails_leaves_errors_and_is_made_again(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"sources of Lake Brume": "server_error"}
    submission = judged(import_set(tree_files()), BOTH)
    assert scores_of(submission) == {"brume": None, "sallow": 0.5}
    assert "errors_left" in submission.incomplete_reasons
    assert {finding for check, finding in findings(submission).items() if check.startswith("brume")} == {
        "error"
    }
    endpoint.reset()
    again(submission)
    assert scores_of(submission) == {"brume": 1.0, "sallow": 0.5}
    assert endpoint.calls == 3


def test_a_doubt_that_cannot_matter_does_not_hold_up_the_score(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"metres deep": "refusal"}
    task = lake_task()
    task["tree"]["children"].append({"id": "never", "critical": True, "assert": "false"})
    submission = judged(import_set(tree_files({"brume": task})), {"brume": BOTH["brume"]})
    # Not assessed, and behind a gate that is shut it changes nothing; but one of four checks is missing.
    assert (scores_of(submission), submission.incomplete_reasons) == ({"brume": 0.0}, [])


def test_odd_text_in_a_reply_is_stored_on_every_database(endpoint: Endpoint) -> None:
    endpoint.script.always = "surrogate"
    submission = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    assert submission.state in {"judged", "incomplete"}
    reasons = Verdict.objects.exclude(reason="").values_list("reason", flat=True)
    assert reasons
    assert not [reason for reason in reasons if "\x00" in reason or "\ud800" in reason]


def test_a_call_that_hangs_ends_as_an_error_and_holds_nothing_up(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, SLICE_SECONDS=0.5, MODEL={**settings.EVALSERVICE["MODEL"], "timeout_s": 1})
    endpoint.script.containing = {"Brume is 14 kilometres": "hang"}
    submission = judged(import_set(tree_files()), BOTH)
    assert submission.state == "incomplete"
    assert findings(submission)["brume/length"] == "error"
    assert findings(submission)["brume/depth"] == "supported"
