"""Nine answers of real agents to three public tasks, the whole way: upload, collect, judge, score, publish.

The pages they cite are in no archive. Judged by what the answers say alone they get scores; judged by those pages
they get none, and no answer pays for what we do not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from django.utils.module_loading import import_string

from judging.citations import cited_urls, url_key
from judging.imports import activate, import_taskset
from judging.models import CitedPage, Extraction, Verdict
from judging.rounds import rejudge
from leaderboard.services import publish
from submissions.models import Job, Submission, TaskSet
from submissions.queue import STEP_OF_KIND
from tests.factories import make_key, make_team
from tests.http import ApiClient
from tests.realdata import AGENTS, EXAMPLES, TASKS, answer_name, answers_of, task_set_files
from tests.realdata.connections import watched
from tests.unit.judging.citations.test_realdata import EXPECTED

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the example answers are not beside the project"),
    pytest.mark.django_db(transaction=True),  # the judging writes from a thread with a connection of its own
]

STEPS = 20  # jobs of one submission: far more than collect, judge and score


@pytest.fixture
def client() -> ApiClient:
    """A team's client."""
    return ApiClient(make_key(make_team())[1])


@pytest.fixture(autouse=True)
def dialled() -> Iterator[list[str]]:
    """No test here may reach the network, and none may hide that it tried."""
    with watched() as seen:
        yield seen
    assert seen == []


def opened(name: str) -> TaskSet:
    """The set in the folder ``name``, imported and open."""
    imported = import_taskset(files=task_set_files(name), now=timezone.now())
    assert imported.warnings == ()
    return activate(task_set=imported.task_set, now=timezone.now())


def uploaded(client: ApiClient, task_set: TaskSet, agent: int) -> str:
    """An agent's answers, handed in at once by the API; the submission's id."""
    system = client.post("systems", {"name": f"agent {agent}", "system_class": "deep_research"}).json()["id"]
    fields = {"system": system, "task_set": task_set.slug, "bundle": answers_of(agent)}
    response = client.form("submissions", fields)
    assert response.status_code == 202, response.content
    shown = client.get(response["Location"]).json()
    assert shown["state"] == "queued"
    assert shown["answers"] == {"expected": len(TASKS), "given": len(TASKS)}
    return str(shown["id"])


def worked_off(ident: str) -> Submission:
    """The submission after all its jobs were done, each by what ``PIPELINE`` names for it, as a worker does."""
    jobs = Job.objects.filter(submission__public_id=ident, state=Job.State.READY).order_by("id")
    for _ in range(STEPS):
        if (job := jobs.first()) is None:
            break
        import_string(settings.PIPELINE[STEP_OF_KIND[Job.Kind(job.kind)]])(job.pk)
    assert not jobs.exists()
    return Submission.objects.get(public_id=ident)


def all_judged(client: ApiClient, task_set: TaskSet) -> dict[int, Submission]:
    """The three agents' submissions after judging, by agent."""
    return {agent: worked_off(uploaded(client, task_set, agent)) for agent in AGENTS}


def results(client: ApiClient, submission: Submission) -> dict[str, dict[str, Any]]:
    """What the team reads of each answer, by task."""
    keys = dict(submission.task_set.tasks.values_list("public_id", "key"))
    rows = client.get(f"submissions/{submission.public_id}/answers").json()["results"]
    return {keys[row["task"]]: row["result"] for row in rows}


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The judged leaves of a feedback tree."""
    if "children" not in node:
        yield node
    for child in node.get("children", ()):
        yield from leaves(child)


def verdicts(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The verdicts of an answer by leaf."""
    return {leaf["id"]: leaf["verdict"] for leaf in leaves(result["feedback"]["tree"])}


def cited(agent: int) -> set[str]:
    """Page keys of everything an agent's answers cite, by the lists that were checked by eye."""
    return {url_key(url) for task in TASKS for url in EXPECTED[answer_name(task, agent)]}


# ------------------------------------------------------------------ judged by what the answers say
def test_nine_real_answers_get_nine_scores_and_three_ranks(client: ApiClient) -> None:
    task_set = opened("answers")
    judged = all_judged(client, task_set)
    for submission in judged.values():
        assert submission.state == Submission.State.JUDGED
        import_string(settings.PIPELINE["submission_judged"])(submission.pk)
    found = {agent: results(client, submission) for agent, submission in judged.items()}
    scores = {agent: {task: found[agent][task]["score"] for task in TASKS} for agent in AGENTS}
    every = [scores[agent][task] for agent in AGENTS for task in TASKS]
    assert all(score is not None and 0 <= score <= 1 for score in every)
    assert len(set(every)) >= 4

    board = client.get(f"leaderboards/{task_set.slug}/{task_set.version}").json()
    rows = board["rows"]
    assert [row["status"] for row in rows] == ["ranked"] * len(AGENTS)
    assert {row["system"]["name"] for row in rows} == {f"agent {agent}" for agent in AGENTS}
    assert board["method"]["marks"] == ["offline_judge", "uncalibrated"]
    shown = {int(row["system"]["name"][-1]): row["values"] for row in rows}
    for agent, values in shown.items():
        own = scores[agent].values()
        assert values["partial_completion"] == pytest.approx(fmean(own), abs=5e-4)
        assert values["success_rate"] == pytest.approx(fmean(score == 1 for score in own), abs=5e-4)
        state = client.get(f"submissions/{judged[agent].public_id}").json()
        assert state["state"] == "published"
        assert state["not_listed_because"] == []
    best_first = sorted(AGENTS, key=lambda agent: -shown[agent]["partial_completion"])
    assert [row["system"]["name"] for row in rows] == [f"agent {agent}" for agent in best_first]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    page = Client().get(f"/leaderboards/{task_set.slug}/{task_set.version}/").content.decode()
    places = [page.index(f"agent {agent}<") for agent in best_first]
    assert places == sorted(places)


def test_scores_follow_what_the_answers_say(client: ApiClient) -> None:
    """Each expectation is a fact about an answer that anyone can read in it."""
    task_set = opened("answers")
    found = {agent: results(client, submission) for agent, submission in all_judged(client, task_set).items()}
    score = {agent: {task: found[agent][task]["score"] for task in TASKS} for agent in AGENTS}

    # Agents 1 and 2 name the player and his rate; agent 3 says that it found no such play.
    sylas = {agent: verdicts(found[agent]["lol_sylas"]) for agent in AGENTS}
    assert [sylas[agent]["player_right"]["finding"] for agent in AGENTS] == ["met", "met", "unmet"]
    assert sylas[3]["player_given"]["error_class"] == "incomplete.not_found"
    assert sylas[3]["rate_given"]["error_class"] == "incomplete.partial"
    assert score[3]["lol_sylas"] == 0
    assert min(score[1]["lol_sylas"], score[2]["lol_sylas"]) > 0.5

    # Agent 1 links three templates; the other two link lists of templates, or nothing, and say so.
    links = {agent: verdicts(found[agent]["overleaf_template"]) for agent in AGENTS}
    official = {agent: [links[agent][f"template_{n}/official"] for n in (1, 2, 3)] for agent in AGENTS}
    assert [verdict["finding"] for verdict in official[1]] == ["met"] * 3
    assert score[1]["overleaf_template"] > 0.5
    for agent in (2, 3):
        assert "unmet" in {verdict["finding"] for verdict in official[agent]}
        assert {v["error_class"] for v in official[agent] if v["finding"] == "unmet"} == {
            "criteria_violation"
        }
        assert score[agent]["overleaf_template"] < score[1]["overleaf_template"]

    # All three agree on three generations; then two of them take another way, and the chain is broken for good.
    assert score[3]["yu_lineage"] == 1
    for agent in (1, 2):
        chain = found[agent]["yu_lineage"]["feedback"]["tree"]["children"][0]
        assert chain["id"] == "chain"
        assert [node["status"] for node in chain["children"]] == ["passed"] * 3 + ["failed", "skipped"]
        assert chain["score"] == pytest.approx(3 / 5)


def test_what_was_extracted_can_be_read_in_the_answers(client: ApiClient) -> None:
    """The offline judge takes values out of the text; it makes none up."""
    for agent, submission in all_judged(client, opened("answers")).items():
        rows = Extraction.objects.filter(run__submission=submission).select_related("answer__task")
        assert {row.outcome for row in rows} == {"ok"}
        assert sorted({row.answer.task.key for row in rows}) == sorted(TASKS)
        for row in rows:
            text = row.answer.text
            own = set(EXPECTED[answer_name(row.answer.task.key, agent)])
            for value in values_in(row.data):
                assert value in own or words(value) <= words(text), value


def values_in(data: Any) -> Iterator[str]:
    """All texts and numbers of a JSON value, as they are written."""
    if isinstance(data, str | int | float):
        yield str(data)
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from values_in(part)


def words(text: str) -> set[str]:
    """The words of a text, without its punctuation."""
    return set("".join(c if c.isalnum() else " " for c in text).split())


def test_judging_the_same_answers_again_changes_nothing_and_asks_nothing(client: ApiClient) -> None:
    task_set = opened("answers")
    before = worked_off(uploaded(client, task_set, 1))
    count = Verdict.objects.count(), Extraction.objects.count()
    assert min(count) > 0
    rejudge(before, actor="test", now=timezone.now())
    after = worked_off(before.public_id)
    assert after.state == Submission.State.JUDGED
    assert (Verdict.objects.count(), Extraction.objects.count()) == count
    assert after.summary == before.summary
    assert after.answers.filter(score__isnull=False).count() == len(TASKS)


# ------------------------------------------------------------------ judged by pages nobody has
def test_answers_whose_pages_are_outside_the_archive_are_incomplete_and_lose_nothing(
    client: ApiClient,
) -> None:
    task_set = opened("sources")
    judged = all_judged(client, task_set)
    for submission in judged.values():
        assert submission.state == Submission.State.INCOMPLETE
        assert submission.incomplete_reasons
        shown = client.get(f"submissions/{submission.public_id}").json()
        assert shown["state"] == "incomplete"
        assert shown["incomplete_reasons"] == submission.incomplete_reasons
        for result in results(client, submission).values():
            assert result["score"] is None
    board = publish(task_set=task_set, now=timezone.now())
    rows = client.get(f"leaderboards/{task_set.slug}/{task_set.version}").json()["rows"]
    assert board.document["rows"] == rows
    assert sorted(row["system"]["name"] for row in rows) == [f"agent {agent}" for agent in AGENTS]
    for row in rows:
        assert row["status"] == "incomplete"
        assert row["rank"] is None
        assert row["values"] == {}
        assert row["reasons"]


def test_every_cited_url_has_a_page_and_a_reason(client: ApiClient) -> None:
    for agent, submission in all_judged(client, opened("sources")).items():
        rows = CitedPage.objects.filter(submission=submission).select_related("page", "snapshot")
        assert {row.page.key for row in rows} == cited(agent)
        assert len(rows) == len(cited(agent))
        for row in rows:
            assert row.snapshot is not None
            assert (row.snapshot.verdict, row.snapshot.detail) == ("network", "outside the archive")
        assert submission.provenance is not None
        assert submission.provenance["pages"] == {"network": len(rows)}
        for task, result in results(client, submission).items():
            told: set[str] = set()
            for verdict in verdicts(result).values():
                assert (verdict["finding"], verdict["code"]) == ("error", "page_retry")
                assert verdict["error_class"] == ""
                assert verdict["pages"]
                for page in verdict["pages"]:
                    assert (page["verdict"], page["standing"], page["finding"]) == ("network", "retry", None)
                    told.add(page["url"])
            assert told == set(EXPECTED[answer_name(task, agent)])


def test_the_answers_cite_what_the_lists_say() -> None:
    """The lists this file relies on belong to these very answers."""
    for name, urls in EXPECTED.items():
        assert cited_urls((EXAMPLES / name).read_text(encoding="utf-8")) == urls
