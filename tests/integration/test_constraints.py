"""Every named constraint of ours is in the database and refuses what it is there to refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Model, UniqueConstraint

from judging.models import (
    Adjudication,
    CitedPage,
    Endpoint,
    Extraction,
    JudgeProfile,
    JudgeRun,
    Label,
    LabelStudy,
    Page,
    PageSnapshot,
    Rubric,
    SearchReply,
    Seat,
    Spending,
    StudyAnswer,
    StudyNode,
    StudyOpening,
    SubmissionSearch,
    Verdict,
)
from leaderboard.models import Board, Entry
from submissions.ids import public_id
from submissions.models import Answer, IdempotencyKey, Job, Membership, Submission, Task, TaskSet
from tests.factories import (
    NOW,
    make_draft,
    make_key,
    make_submission,
    make_system,
    make_task_set,
    make_team,
    make_user,
    now,
)

pytestmark = pytest.mark.django_db

CONSTRAINTS = {
    constraint.name: (model, constraint)
    for label in ("submissions", "judging", "leaderboard")
    for model in apps.get_app_config(label).get_models()
    for constraint in model._meta.constraints
}


def _columns(model: type[Model], constraint: UniqueConstraint) -> str:
    columns = {field.name: field.column for field in model._meta.fields}
    return ", ".join(f"{model._meta.db_table}.{columns[name]}" for name in constraint.fields)


# SQLite names the columns of a unique constraint, not the constraint.
BY_COLUMNS = {
    _columns(model, constraint): name
    for name, (model, constraint) in CONSTRAINTS.items()
    if isinstance(constraint, UniqueConstraint)
}


def broken(error: IntegrityError) -> str:
    """The name of the constraint that the database says was broken."""
    if connection.vendor == "postgresql":
        return str(error.__cause__.diag.constraint_name)  # type: ignore[union-attr]  # psycopg's error
    kind, _, what = str(error).partition(" constraint failed: ")
    return what if kind == "CHECK" else BY_COLUMNS[what]


def change(row: Model, **columns: Any) -> None:
    """One UPDATE past every rule that Python keeps."""
    type(row)._default_manager.filter(pk=row.pk).update(**columns)


def again(row: Model, **columns: Any) -> None:
    """The same row once more, with a primary key and a public id of its own."""
    row.pk = None
    row._state.adding = True
    if hasattr(row, "public_id"):
        columns = {"public_id": public_id(), **columns}
    for name, value in columns.items():
        setattr(row, name, value)
    row.save(force_insert=True)


# ------------------------------------------------------------------ rows that keep every rule
def membership() -> Membership:
    return Membership.objects.create(team=make_team(), user=make_user())


def reply() -> IdempotencyKey:
    return IdempotencyKey.objects.create(team=make_team(), key="k", request_hash="0" * 64, created_at=NOW)


def task() -> Task:
    return make_task_set(tasks=1).tasks.get()


def answer() -> Answer:
    return make_draft(task_set=make_task_set(tasks=1)).answers.get()


def job() -> Job:
    return Job.objects.create(submission=make_draft(), kind="collect", created_at=NOW)


def finalized() -> Submission:
    submission = make_submission("judged")
    change(submission, state="queued", summary=None)
    return submission


def snapshot() -> PageSnapshot:
    page = Page.objects.create(key="k", key_hash="0" * 64, url="https://x.example", created_at=NOW)
    return PageSnapshot.objects.create(
        page=page, number=1, verdict="ok", url=page.url, text_sha256="0" * 64, fetched_at=NOW
    )


def cited() -> CitedPage:
    return CitedPage.objects.create(submission=make_draft(), page=snapshot().page, url="https://x.example")


def rubric(of: Task) -> Rubric:
    return Rubric.objects.create(task=of, source={}, content_hash="0" * 64, created_at=NOW)


def profile() -> JudgeProfile:
    return JudgeProfile.objects.create(name="p", judge="lexical", content_hash="0" * 64, created_at=NOW)


def run(of: Submission, number: int = 1) -> JudgeRun:
    judge = JudgeProfile.objects.first() or profile()
    return JudgeRun.objects.create(
        submission=of, round=number, profile=judge, short_circuit=True, started_at=NOW
    )


def seat() -> Seat:
    endpoint = Endpoint.objects.create(base_url="http://model.example/v1")
    return Seat.objects.create(endpoint=endpoint, holder="a", wanted=1, in_flight=1, until=NOW)


def spending() -> Spending:
    return Spending.objects.create(run=run(make_draft()), day=NOW.date())


def studied() -> StudyAnswer:
    on = answer()
    study = LabelStudy.objects.create(name="s", seed=1, actor="a", created_at=NOW)
    return StudyAnswer.objects.create(study=study, answer=on, run=run(on.submission))


def node() -> StudyNode:
    of = studied()
    return StudyNode.objects.create(
        of=of, rubric=rubric(of.answer.task), check_id="c", key="0" * 64, kind="claim", statement="s"
    )


def label() -> Label:
    return Label.objects.create(
        node=node(), labeller=make_user(), verdict="supported", created_at=NOW, changed_at=NOW
    )


def opening() -> StudyOpening:
    return StudyOpening.objects.create(study=studied().study, person=make_user(), opened_at=NOW)


def decision() -> Adjudication:
    return Adjudication.objects.create(node=node(), decision="judge", person=make_user(), created_at=NOW)


def searched() -> SearchReply:
    return SearchReply.objects.create(
        provider="searxng", key="0" * 64, day=NOW.date(), query="q", asked_at=NOW, text_sha256="0" * 64
    )


def search() -> SubmissionSearch:
    return SubmissionSearch.objects.create(
        submission=make_draft(), round=1, provider="searxng", query_hash="0" * 64, reply=searched()
    )


def verdict(finding: str = "supported") -> Verdict:
    on = answer()
    return Verdict.objects.create(
        run=run(on.submission), answer=on, rubric=rubric(on.task), check_id="c", key="0" * 64, finding=finding,
        created_at=NOW,
    )  # fmt: skip


def extraction(outcome: str = "ok") -> Extraction:
    on = answer()
    return Extraction.objects.create(
        run=run(on.submission), answer=on, name="n", key="0" * 64, outcome=outcome, created_at=NOW
    )


def board() -> Board:
    return Board.objects.create(
        task_set=make_task_set(), number=1, document={}, inputs_hash="0" * 64, published_at=NOW
    )


def entry() -> Entry:
    shown = make_submission("published")
    return Entry.objects.create(board=board(), system=shown.system, submission=shown, position=1, document={})


def in_another_run(row: Verdict | Extraction) -> None:
    again(row, run=run(row.answer.submission, 2))


# ------------------------------------------------------------------ what each constraint refuses
BREAKS: dict[str, Callable[[], object]] = {
    "membership_once_per_team": lambda: again(membership()),
    "membership_role_known": lambda: change(membership(), role="guest"),
    "system_name_once_per_team": lambda: again(make_system(make_team())),
    "system_class_known": lambda: change(make_system(make_team()), system_class="oracle"),
    "apikey_expires_after_creation": lambda: change(make_key(make_team())[0], expires_at=F("created_at")),
    "idempotency_key_once_per_team": lambda: again(reply()),
    "taskset_version_once": lambda: again(make_task_set(), state="retired"),
    "taskset_one_active_version": lambda: again(make_task_set(), version="2"),
    "taskset_protocol_known": lambda: change(make_task_set(), protocol="vote"),
    "taskset_split_known": lambda: change(make_task_set(delivery="sealed"), split="train"),
    "taskset_delivery_known": lambda: change(make_task_set(), delivery="post"),
    "taskset_state_known": lambda: change(make_task_set(), state="lost"),
    "taskset_runs_in_range": lambda: change(make_task_set(), runs=101),
    "taskset_open_test_needs_reason": lambda: change(make_task_set(), split="test"),
    "taskset_closes_after_opening": lambda: change(make_task_set(), opens_at=NOW, closes_at=NOW),
    "task_key_once_per_set": lambda: again(task(), position=2),
    "task_position_once_per_set": lambda: again(task(), key="other"),
    "submission_state_known": lambda: change(make_submission(), state="lost"),
    "submission_listing_known": lambda: change(make_submission(), listing="hidden"),
    "submission_has_runs": lambda: change(make_submission(), runs=0),
    "submission_finalized_has_time": lambda: change(make_draft(), state="queued"),
    "submission_judged_has_summary": lambda: change(finalized(), state="judged"),
    "submission_published_has_time": lambda: change(make_submission("judged"), state="published"),
    "submission_former_state_of_rejudged": lambda: change(make_submission(), former_state="published"),
    "submission_coverage_in_range": lambda: change(make_submission(), coverage=1.01),
    "answer_once_per_task_run": lambda: again(answer()),
    "answer_run_from_one": lambda: change(answer(), run=0),
    "answer_score_in_range": lambda: change(answer(), score=-0.01),
    "answer_user_pref_in_range": lambda: change(answer(), user_pref=5),
    "answer_coverage_in_range": lambda: change(answer(), coverage=-0.01),
    "answer_cost_not_negative": lambda: change(answer(), cost_usd=-0.01),
    "answer_finishes_after_start": lambda: change(answer(), started_at=now(), finished_at=NOW),
    "answer_not_given_is_blank": lambda: change(answer(), text="Given in secret."),
    "job_once_per_shard": lambda: again(job()),
    "job_kind_known": lambda: change(job(), kind="rest"),
    "job_state_known": lambda: change(job(), state="lost"),
    "job_running_has_lease": lambda: change(job(), state="running"),
    "snapshot_number_once_per_page": lambda: again(snapshot()),
    "snapshot_verdict_known": lambda: change(snapshot(), verdict="fine"),
    "snapshot_ok_has_text": lambda: change(snapshot(), text_sha256=""),
    "snapshot_picture_has_size": lambda: change(snapshot(), picture_sha256="0" * 64),
    "citedpage_once_per_submission": lambda: again(cited()),
    "citedpage_snapshot_has_time": lambda: change(cited(), snapshot=PageSnapshot.objects.get()),
    "rubric_revision_once_per_task": lambda: again(rubric(task())),
    "profile_version_once": lambda: again(profile(), content_hash="1" * 64),
    "profile_content_once": lambda: again(profile(), version=2),
    "judgerun_round_once": lambda: again(run(make_draft())),
    "judgerun_search_known": lambda: change(run(make_draft()), search="bing", search_queries=1),
    "judgerun_search_has_queries": lambda: change(run(make_draft()), search="searxng"),
    "seat_once_per_holder": lambda: again(seat()),
    "spending_once_per_day": lambda: again(spending()),
    "spending_of_commands_once_per_day": lambda: [Spending.objects.create(day=NOW.date()) for _ in range(2)],
    "studyanswer_once": lambda: again(studied()),
    "studynode_once": lambda: again(node()),
    "studynode_kind_known": lambda: change(node(), kind="riddle"),
    "studynode_finding_known": lambda: change(node(), finding="perhaps"),
    "label_once_per_person": lambda: again(label()),
    "label_verdict_known": lambda: change(label(), verdict="perhaps"),
    "opening_once_per_person": lambda: again(opening()),
    "adjudication_decision_known": lambda: change(decision(), decision="both"),
    "spending_cost_not_negative": lambda: change(spending(), cost_usd=-0.01),
    "searchreply_once_a_day": lambda: again(searched()),
    "searchreply_provider_known": lambda: change(searched(), provider="off"),
    "searchreply_text_has_time": lambda: change(searched(), asked_at=None),
    "submissionsearch_once_a_round": lambda: again(search()),
    "submissionsearch_reply_or_fault": lambda: change(search(), fault="timeout"),
    "submissionsearch_provider_known": lambda: change(search(), provider="off"),
    "submissionsearch_fault_known": lambda: change(search(), reply=None, fault="tired"),
    "verdict_once_per_run": lambda: again(verdict("error")),
    "verdict_settled_once": lambda: in_another_run(verdict()),
    "verdict_finding_known": lambda: change(verdict(), finding="perhaps"),
    "extraction_once_per_run": lambda: again(extraction("failed")),
    "extraction_ok_once": lambda: in_another_run(extraction()),
    "extraction_outcome_known": lambda: change(extraction(), outcome="perhaps"),
    "board_number_once_per_set": lambda: again(board(), superseded_at=NOW),
    "board_one_current_per_set": lambda: again(board(), number=2),
    "entry_once_per_system_and_board": lambda: again(entry(), position=2),
    "entry_position_once_per_board": lambda: again(entry(), system=make_system(make_team())),
}


def test_every_constraint_has_a_row_here() -> None:
    assert set(BREAKS) == set(CONSTRAINTS)


@pytest.mark.parametrize("name", BREAKS)
def test_a_constraint_refuses_what_breaks_it(name: str) -> None:
    with pytest.raises(IntegrityError) as told, transaction.atomic():
        BREAKS[name]()
    assert broken(told.value) == name


@pytest.mark.parametrize("finding", ["not_assessed", "error"])
def test_an_open_verdict_may_be_asked_again_in_another_run(finding: str) -> None:
    in_another_run(verdict(finding))
    assert Verdict.objects.count() == 2


@pytest.mark.parametrize("outcome", ["truncated", "failed", "error"])
def test_a_failed_extraction_may_be_asked_again_in_another_run(outcome: str) -> None:
    in_another_run(extraction(outcome))
    assert Extraction.objects.count() == 2


@pytest.mark.parametrize("columns", [{"search_queries": 1}, {"search": "serper", "search_queries": 4}])
def test_queries_are_counted_where_something_is_searched_alone(columns: dict[str, Any]) -> None:
    row = run(make_draft())
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        change(row, **columns)
    assert broken(error.value) == "judgerun_search_has_queries"
    change(row, search="serper", search_queries=3)


def test_retired_versions_and_superseded_boards_may_be_many() -> None:
    again(make_task_set(state="retired"), version="2")
    again(board(), number=2, superseded_at=NOW)
    assert (TaskSet.objects.filter(state="retired").count(), Board.objects.count()) == (2, 2)
