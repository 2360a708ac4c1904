"""The crawl for hidden words again, with every role there is and boards of both kinds in every form."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from judging.models import Rubric
from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.roles import ROLES
from tests.factories import make_system, make_team, make_user, now
from tests.functional.canaries import ACTORS, Plan, crawl, leaks, plant
from tests.integration.leaderboard.results import cascade_set, scored
from tests.soak.conftest import Report

pytestmark = pytest.mark.django_db

# Addresses no route spells out: boards and entries as somebody reads them who plays with queries.
QUERIES = (
    "",
    "?format=csv",
    "?format=json",
    "?columns=all&sort=minutes&dir=desc",
    "?q=canary",
    "?org=canary",
    "?class=x",
)
FORMS = ("text/html", "application/json", "text/csv", "application/vnd.oai.openapi+json", "*/*")


@pytest.fixture(autouse=True)
def _quiet_and_unhurried(settings: Any) -> Iterator[None]:
    """Ten thousand refusals are neither logged nor counted; static files lie where they lie."""
    rates = dict.fromkeys(settings.EVALSERVICE["PER_MINUTE"], 1_000_000)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PER_MINUTE": rates}
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


def second_board(plan: Plan) -> None:
    """A cascade board beside the tree board that ``plant`` publishes."""
    task_set = cascade_set(tasks=2)
    for task in task_set.tasks.all():
        task.key, task.prompt = (
            plan.word("cascadekey", "owner", "other"),
            plan.word("cascadeprompt", "owner", "other"),
        )
        task.cluster, task.domain = plan.word("cascadecluster"), plan.word("cascadedomain")
        task.save()
    team = make_team(
        name=plan.word("cascadeteam", "viewer"), organisation=plan.word("cascadeorganisation", *ACTORS)
    )
    system = make_system(
        team, name=plan.word("cascadesystem", *ACTORS), model=plan.word("cascademodel", *ACTORS)
    )
    submission = scored(task_set, [4, 2], system=system, note=plan.word("cascadenote", "viewer"))
    for answer in submission.answers.all():
        answer.text = plan.word("cascadeanswer")
        answer.feedback = {"reason": plan.word("cascadefeedback")}
        answer.save()
    publish(task_set=task_set, now=now())
    plan.ids["entry_id"] = plan.ids["entry"] = list(Entry.objects.values_list("public_id", flat=True))
    plan.ids["slug"].append(task_set.slug)
    plan.ids["*"] = sorted({value for values in plan.ids.values() for value in values})


def readable_rubrics() -> None:
    """The planted words again, in rubrics that parse: pages that replay a judging must get as far as showing them."""
    for rubric in Rubric.objects.all():
        word, (truth,) = rubric.source["tree"], rubric.source["truth"]
        leaf = {"id": "leaf", "claim": word, "evidence": "none"}
        source = {"tree": {"id": "root", "children": [leaf]}, "truth": {"value": truth}}
        Rubric.objects.filter(pk=rubric.pk).update(source=source)


def boards_in_every_form() -> list[str]:
    """Boards, entries and the schema with every query."""
    paths = ["/", "/method/", "/api/v1/leaderboards", "/api/v1/schema"]
    for board in Board.objects.select_related("task_set"):
        name = f"{board.task_set.slug}/{board.task_set.version}"
        paths += [f"/leaderboards/{name}/", f"/api/v1/leaderboards/{name}"]
    for entry in Entry.objects.all():
        paths += [f"/entries/{entry.public_id}/", f"/api/v1/entries/{entry.public_id}"]
    return [f"{path}{query}" for path in paths for query in QUERIES]


def words_in(response: Any, plan: Plan) -> set[str]:
    """The planted words of a response, headers and body."""
    text = f"{response.headers}\n" + b"".join(response).decode("utf-8", "replace")
    return {word for word in plan.seen_by if word in text}


def staff(role: str) -> Client:
    """Somebody with that role, logged in."""
    user = make_user(staff=True)
    user.groups.set([Group.objects.get(name=role)])
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    return browser


def test_boards_of_both_kinds_leak_nothing_to_anybody(report: Report) -> None:
    begun = time.monotonic()
    plan = plant()
    second_board(plan)
    assert set(Board.objects.values_list("task_set__protocol", flat=True)) == {"rubric_tree", "cascade"}
    seen: Counter[int] = Counter()
    public = {word for word, actors in plan.seen_by.items() if set(actors) == set(ACTORS)}
    found: set[str] = set()
    browsers = {
        **plan.clients,
        **{role: (staff(role), {}) for role in ROLES},
    }
    for address in boards_in_every_form():
        for form in FORMS:
            for actor, (browser, headers) in browsers.items():
                response = browser.get(address, headers={**headers, "Accept": form})
                seen[response.status_code] += 1
                assert response.status_code < 500, (address, form, actor)
                words = words_in(response, plan)
                assert words <= public, (address, form, actor, words - public)
                found |= words
    assert found == public  # both boards, with all they may show
    assert seen[200] > seen.total() / 2
    report(test="boards", addresses=len(boards_in_every_form()), actors=len(browsers), requests=seen.total(),
           words=len(plan.seen_by), seconds=round(time.monotonic() - begun))  # fmt: skip


def test_the_whole_crawl_with_both_boards_leaks_nothing(report: Report) -> None:
    begun = time.monotonic()
    plan = plant()
    second_board(plan)
    found = crawl(plan)
    assert leaks(plan, found) == []
    kinds = {re.sub("[0-9a-f]{12}$", "", one.word) for one in found if one.actor == "anonymous"}
    assert {"canarycascadesystem", "canarylistedsystem"} <= kinds
    report(
        test="crawl", sightings=len(found), actors=len(plan.clients), seconds=round(time.monotonic() - begun)
    )


# Words by what has to be granted to read them in the admin; whoever lacks it must never see them.
GUARDED = {
    "rubric": "judging.view_rubric", "truth": "judging.view_rubric", "prompt": "submissions.view_task",
    "answer": "submissions.view_answer", "reason": "judging.view_verdict", "statement": "judging.view_verdict",
    "quote": "judging.view_verdict", "extraction": "judging.view_extraction", "data": "judging.view_extraction",
    "pagedetail": "judging.view_pagesnapshot",
}  # fmt: skip


def guarded_by(word: str) -> str | None:
    """The permission without which nobody on the staff may see the word."""
    kind = re.sub("^canary|[0-9a-f]{12}$", "", word)
    return next((right for end, right in GUARDED.items() if kind.endswith(end)), None)


@pytest.mark.parametrize("role", ROLES)
def test_no_role_sees_what_it_was_not_granted(role: str, report: Report) -> None:
    begun = time.monotonic()
    plan = plant()
    second_board(plan)
    readable_rubrics()
    plan.clients = {"viewer": (staff(role), {})}  # whoever it is, the crawl knows it by this name
    found = crawl(plan)
    wrong = [one for one in found if (right := guarded_by(one.word)) and right not in ROLES[role]]
    assert wrong == []
    assert found
    report(
        test="roles",
        role=role.replace(" ", "_"),
        sightings=len(found),
        seconds=round(time.monotonic() - begun),
    )
