"""A run as JSON lines: what stands in it, always the same bytes, in as much memory as a few answers take."""

from __future__ import annotations

import dataclasses
import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from jsonschema import Draft202012Validator
from structlog.testing import capture_logs

from judging.canonical import storable
from judging.exporting import UnknownRun, export_lines, find_run
from judging.judges.base import CallRecord
from judging.models import Extraction, JudgeProfile, JudgeRun, PageSnapshot, Rubric, SubmissionSearch, Verdict
from judging.revising import revise
from submissions.models import Answer, Submission, TaskSet
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, again, changed
from tests.judging_factories import (
    BRUME,
    REPORT_RIGHT,
    archive,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    submit,
    tree_files,
)
from tests.pictures import png
from tests.programs import ROOT
from tests.provider import Reply, SearchProvider
from tests.searched import ANSWER, QUERY, searched_files

pytestmark = pytest.mark.django_db(transaction=True)
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/run-export.schema.json").read_text(encoding="utf-8"))
KINDS = {
    name: Draft202012Validator({**SCHEMA["$defs"][name], "$defs": SCHEMA["$defs"]})
    for name in ("run", "task", "answer", "snapshot", "search", "end")
}


def latest() -> JudgeRun:
    """The newest run."""
    return find_run(str(JudgeRun.objects.latest("pk").pk))


def exported(run: JudgeRun) -> list[dict[str, Any]]:
    """The lines of a run, each as the schema wants it."""
    lines = [json.loads(line) for line in b"".join(export_lines(run)).splitlines()]
    faults = [
        f"{line['kind']} {fault.json_path}: {fault.message}"
        for line in lines
        for fault in KINDS[line["kind"]].iter_errors(line)
    ]
    assert faults == []
    return lines


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The lines of one kind."""
    return [line for line in lines if line["kind"] == kind]


@pytest.fixture
def tree() -> Submission:
    """A judged submission."""
    return judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume", "gone")})


# ------------------------------------------------------------------ what stands in it
def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_a_run_comes_whole_and_in_order(tree: Submission) -> None:
    lines = exported(latest())
    kinds = [line["kind"] for line in lines]
    assert kinds == ["run", "task", "task", "answer", "answer", *["snapshot"] * 2, "end"]
    head, end = lines[0], lines[-1]
    assert head["submission"]["id"] == tree.public_id
    assert head["method"]["rubrics_hash"]
    assert head["profile"]["content_hash"] == JudgeProfile.objects.get().content_hash
    assert (end["tasks"], end["answers"], end["snapshots"]) == (2, 2, 2)
    assert (end["verdicts"], end["extractions"]) == (Verdict.objects.count(), Extraction.objects.count())
    (task, _) = of_kind(lines, "task")
    assert task["rubric"]["source"] == Rubric.objects.get(task__key="brume").source
    answer = of_kind(lines, "answer")[0]
    stored = Answer.objects.get(pk=answer["answer"])
    assert (answer["text"], answer["score"], answer["metrics"]) == (stored.text, stored.score, stored.metrics)
    assert answer["feedback"] == stored.feedback
    by_check = {verdict["check_id"]: verdict for verdict in answer["verdicts"]}
    assert list(by_check) == sorted(by_check)
    assert by_check["length"]["finding"] == "refuted"
    assert all(verdict["counts"] for verdict in answer["verdicts"])
    captured = {line["snapshot"]: line for line in of_kind(lines, "snapshot")}
    named = {page["snapshot"] for verdict in answer["verdicts"] for page in verdict["evidence"]}
    assert named <= set(captured)
    assert {line["text_sha256"] for line in captured.values()} == set(
        PageSnapshot.objects.filter(pk__in=captured).values_list("text_sha256", flat=True)
    )


def test_a_cascade_comes_whole() -> None:
    judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    (answer,) = of_kind(exported(latest()), "answer")
    assert answer["user_pref"] is not None
    assert answer["feedback"]["protocol"] == "cascade"
    assert {row["name"] for row in answer["extractions"]} == {"depth/depth-facts", "law/law-facts"}


@pytest.mark.usefixtures("_openai")
def test_calls_come_with_votes_failures_and_costs(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "attempts": 2})
    endpoint.script.next = ["server_error"]
    judged(import_set(tree_files()), BOTH)
    lines = exported(latest())
    rows = [
        row for answer in of_kind(lines, "answer") for row in (*answer["verdicts"], *answer["extractions"])
    ]
    calls = [call for row in rows for call in row["calls"]]
    assert {call["model_served"] for call in calls} == {"judge-1"}
    assert [attempt["error"] for call in calls for attempt in call["attempts"] if attempt["error"]] == [
        "server_error"
    ]
    assert {call["page"] for call in calls} > {"https://lakes.example/brume"}
    assert {call["cost_usd"] for call in calls if call["attempts"]} == {None}


def test_the_same_run_gives_the_same_bytes(tree: Submission) -> None:
    assert b"".join(export_lines(latest())) == b"".join(export_lines(latest()))


def test_text_of_strangers_breaks_no_line() -> None:
    evil = storable("a\u2028b\u0085c\x00\ud800\u202e</script>\n")
    made = judged(import_set(tree_files()), {"brume": evil + lake_answer(212, 15, "brume")})
    Verdict.objects.filter(check_id="length").update(quote=evil)
    data = b"".join(export_lines(latest()))
    assert data.isascii()
    lines = [json.loads(line) for line in data.decode().splitlines()]
    assert lines[-1]["kind"] == "end"
    answer = of_kind(lines, "answer")[0]
    assert answer["text"] == made.answers.get(task__key="brume").text


def test_a_later_round_says_what_it_took_over_and_what_counts(tree: Submission) -> None:
    again(tree)
    lines = exported(find_run(tree.public_id))
    assert lines[0]["round"] == 2
    verdicts = of_kind(lines, "answer")[0]["verdicts"]
    assert {verdict["round"] for verdict in verdicts} == {1}
    assert all(verdict["counts"] for verdict in verdicts)


def test_what_an_earlier_revision_of_the_rubric_found_is_left_out_of_a_later_round(tree: Submission) -> None:
    task = lake_task()
    task["tree"]["children"][2]["claim"] = "Lake Brume has a length of {{ lake.length }} kilometres"
    corrected = tree_files({"brume": task, "sallow": lake_task("Sallow")})
    revise(files=corrected, key="brume", now=timezone.now())
    again(tree)
    first, second = (
        of_kind(exported(run), "answer")[0]["verdicts"] for run in JudgeRun.objects.order_by("round")
    )
    assert [verdict["round"] for verdict in first] == [1, 1, 1]
    assert {verdict["check_id"]: verdict["round"] for verdict in second} == {
        "given": 1,
        "depth": 1,
        "length": 2,
    }
    assert {verdict["check_id"]: verdict["rubric_revision"] for verdict in second} == {
        "given": 1,
        "depth": 1,
        "length": 2,
    }


def test_an_answer_whose_rubric_is_none_any_more_comes_with_its_rows(tree: Submission) -> None:
    Rubric.objects.filter(task__key="brume").update(source={})
    one, other = of_kind(exported(latest()), "answer")
    assert (one["replayed"], one["score"], one["feedback"]) == (False, 0.5, None)
    assert one["verdicts"]
    assert not any(verdict["counts"] for verdict in one["verdicts"])
    assert other["replayed"]


def test_a_run_that_goes_on_is_exported_as_far_as_it_is() -> None:
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission, slices=1)
    lines = exported(latest())
    assert lines[0]["finished_at"] is None
    assert lines[-1]["verdicts"] == 0
    assert [answer["score"] for answer in of_kind(lines, "answer")] == [None, None]


def test_an_endpoint_is_named_without_its_password(tree: Submission) -> None:
    profile = JudgeProfile.objects.get()
    for address, shown in (
        ("https://me:pass@llm.example:8443/v1", "https://llm.example:8443/v1"),
        ("https://llm.example/v1?x=@", "https://llm.example/v1?x=@"),
    ):
        JudgeProfile.objects.filter(pk=profile.pk).update(base_url=address)
        assert exported(latest())[0]["profile"]["endpoint"] == shown


def test_records_and_evidence_of_any_age_go_out(tree: Submission) -> None:
    Verdict.objects.update(record={"x": 1})
    Extraction.objects.update(record=[])
    rows = of_kind(exported(latest()), "answer")[0]
    assert [row["calls"] for row in (*rows["verdicts"], *rows["extractions"])] == [[]] * 4


def test_queries_grow_with_parts_of_the_answers_alone() -> None:
    counts = []
    for number in (10, 100):
        tasks = {f"t{n}": lake_task() for n in range(number)}
        judged(import_set(tree_files(tasks, slug=f"lakes-{number}")), dict.fromkeys(tasks, BOTH["brume"]))
        run = latest()
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            assert sum(1 for _ in export_lines(run)) > 2 * number
        counts.append(len(queries))
    assert counts[0] <= 24
    assert counts[1] - counts[0] <= 3 * 8 + 1  # three parts more, and one of the tasks


# ------------------------------------------------------------------ pictures and searches
def described(name: str) -> set[str]:
    """The fields that the schema describes of a part of a line."""
    return set(SCHEMA["$defs"][name]["properties"])


def pictured() -> TaskSet:
    """A set one page of which came with a screenshot, that a leaf asks for."""
    task = lake_task()
    task["tree"]["children"][2]["screenshot"] = "always"
    pages = archive({"brume": BRUME}) | {"pages/brume.png": png(30, 20)}
    return import_set(tree_files({"brume": task}, pages=pages))


def test_every_field_of_a_call_is_described() -> None:
    assert described("call") == {field.name for field in dataclasses.fields(CallRecord)}


def test_every_field_of_the_evidence_is_described(provider: SearchProvider) -> None:
    judged(import_set(searched_files()), {"report": ANSWER})
    judged(pictured(), {"brume": lake_answer(212, 15, "brume")})
    pages = [page for verdict in Verdict.objects.all() for page in verdict.evidence]
    assert described("page") == {name for page in pages for name in page}
    for run in JudgeRun.objects.all():
        exported(run)


def test_a_screenshot_is_told_by_hash_type_and_size() -> None:
    judged(pictured(), {"brume": lake_answer(212, 15, "brume")})
    (line,) = [one for one in of_kind(exported(latest()), "snapshot") if one["picture_sha256"]]
    row = PageSnapshot.objects.exclude(picture_sha256="").get()
    assert line["picture_sha256"] == row.picture_sha256
    assert line["picture_type"] == "image/png"
    assert (line["picture_width"], line["picture_height"]) == (row.picture_width, row.picture_height)


def test_what_was_searched_is_told_by_query_day_and_hash(provider: SearchProvider) -> None:
    judged(import_set(searched_files()), {"report": ANSWER})
    lines = exported(latest())
    (line,) = of_kind(lines, "search")
    reply = SubmissionSearch.objects.get().reply
    assert reply is not None
    assert (line["query"], line["hits"], line["fault"]) == (QUERY, 1, "")
    assert line["text_sha256"] == reply.text_sha256
    assert line["asked_at"].startswith(f"{reply.day}T")
    assert lines[-1]["searches"] == 1


def test_a_search_that_failed_is_told_with_its_fault(provider: SearchProvider) -> None:
    provider.orders.append(Reply(404))
    judged(import_set(searched_files()), {"report": ANSWER})
    (line,) = of_kind(exported(latest()), "search")
    assert (line["query"], line["asked_at"], line["hits"], line["text_sha256"]) == (None, None, None, "")
    assert line["fault"] == "refused"


# ------------------------------------------------------------------ which run
def test_a_run_is_named_by_number_or_by_its_submission(tree: Submission) -> None:
    again(tree)
    first, second = JudgeRun.objects.order_by("round")
    assert find_run(str(first.pk)) == first
    assert find_run(tree.public_id) == second
    assert find_run(f"{tree.public_id}/1") == first
    for name in ("", "x", "0", f"{tree.public_id}/3", f"{tree.public_id}/x", f"{first.pk}/1", "9" * 40, "²"):
        with pytest.raises(UnknownRun):
            find_run(name)


# ------------------------------------------------------------------ the command
def export(*arguments: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("export_run", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_prints_a_run_or_writes_it_for_its_owner_alone(tree: Submission, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with capture_logs() as logs:
        printed = export(tree.public_id)
        assert export(tree.public_id, "--output", str(file)) == ""
    assert printed.encode() == file.read_bytes() == b"".join(export_lines(latest()))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert [
        (entry["event"], entry["run"], entry["by"]) for entry in logs if entry["event"] == "run_exported"
    ] == [("run_exported", latest().pk, "command")] * 2


def test_a_file_that_is_there_is_replaced_only_by_force(tree: Submission, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(CommandError, match="is there already; --force replaces it"):
        export(tree.public_id, "--output", str(file))
    assert file.read_text(encoding="utf-8") == "mine"
    export(tree.public_id, "--output", str(file), "--force")
    assert file.read_bytes().endswith(b"}\n")
    assert len(list(tmp_path.iterdir())) == 1


def test_what_cannot_be_exported_is_said_in_a_sentence_and_leaves_nothing(
    tree: Submission, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="No such run: nobody"):
        export("nobody")
    with pytest.raises(CommandError, match="No such file or directory"):
        export(tree.public_id, "--output", str(tmp_path / "absent" / "run.jsonl"))
    with pytest.raises(CommandError, match=r"\w"):
        export(tree.public_id, "--output", str(tmp_path), "--force")
    Verdict.objects.update(evidence=[{"snapshot": 3}])
    with pytest.raises(KeyError):
        export(tree.public_id, "--output", str(tmp_path / "run.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_made_meanwhile_is_left_alone(
    tree: Submission, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.jsonl"

    def lines(run: JudgeRun) -> Any:
        file.write_text("somebody else's", encoding="utf-8")
        yield b"{}\n"

    monkeypatch.setattr("judging.management.commands.export_run.export_lines", lines)
    with pytest.raises(CommandError, match="is there already"):
        export(tree.public_id, "--output", str(file))
    assert file.read_text(encoding="utf-8") == "somebody else's"
    assert len(list(tmp_path.iterdir())) == 1
