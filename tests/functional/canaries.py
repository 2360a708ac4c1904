"""Unique words in every place that must stay hidden, and a crawl of the whole URLconf that looks for them.

The words are letters and digits, so that no escaping hides one. A row of the plan says who may see the word;
whoever else finds it has found a leak.
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

from judging.models import (
    Extraction,
    JudgeProfile,
    JudgeRun,
    ModelCall,
    Page,
    PageSnapshot,
    Rubric,
    Verdict,
)
from leaderboard.models import Entry
from leaderboard.services import publish
from submissions.models import ApiKey, IdempotencyKey, Membership, Submission, TaskSet, Team
from tests.factories import (
    NOW,
    make_key,
    make_submission,
    make_system,
    make_task_set,
    make_team,
    make_user,
    now,
)
from tests.integration.leaderboard.results import scored

ACTORS = ("anonymous", "owner", "other", "viewer")
METHODS = ("POST", "PUT", "PATCH", "DELETE")
BODIES = (b'{"answer": 1, "system": "x", "task_set": "x", "name": ""}', b"")
MEDIA_TYPES = ("*/*", "text/html", "text/csv", "application/x-ndjson")


@dataclass
class Plan:
    """What was planted, and with whom the crawl goes."""

    seen_by: dict[str, frozenset[str]] = field(default_factory=dict)  # word → actors
    clients: dict[str, tuple[Client, dict[str, str]]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)  # parameter of a route → values

    def word(self, place: str, *actors: str) -> str:
        """A new word for ``place`` that ``actors`` may see."""
        word = f"canary{re.sub('[^a-z]', '', place)}{secrets.token_hex(6)}"
        self.seen_by[word] = frozenset(actors)
        return word


@dataclass(frozen=True, order=True)
class Sighting:
    """A word where it was found."""

    word: str
    actor: str
    request: str


def _task_set(plan: Plan, name: str, *, prompt_seen_by: tuple[str, ...], **fields: Any) -> TaskSet:
    task_set = make_task_set(tasks=0, **fields)
    is_dev = (task_set.split, task_set.delivery, task_set.state) == ("dev", "open", "active")
    key_seen_by = ("owner", "other") if is_dev else ()
    for position in (1, 2):
        task = task_set.tasks.create(
            key=plan.word(f"{name}key", *key_seen_by),
            prompt=plan.word(f"{name}prompt", *prompt_seen_by),
            position=position,
            cluster=plan.word(f"{name}cluster"),
            domain=plan.word(f"{name}domain"),
        )
        source = {"tree": plan.word(f"{name}rubric"), "truth": [plan.word(f"{name}truth")]}
        Rubric.objects.create(task=task, source=source, content_hash="0" * 64, created_at=NOW)
    return task_set


def _submission(plan: Plan, team: Team, actor: str, task_set: TaskSet, state: str) -> Submission:
    dev = task_set.split == TaskSet.Split.DEV
    name = f"{actor}{task_set.split}"
    submission = make_submission(
        state,
        team=team,
        task_set=task_set,
        note=plan.word(f"{name}note", actor, "viewer"),
        summary={"exact": plan.word(f"{name}summary", *([actor] if dev and state != "draft" else []))},
    )
    Submission.objects.filter(pk=submission.pk).update(provenance={"judge": plan.word(f"{name}provenance")})
    for answer in submission.answers.all():
        answer.text = plan.word(f"{name}answer", actor)
        answer.trace_url = f"https://{plan.word(f'{name}trace', actor)}.example"
        answer.metrics = {"m": plan.word(f"{name}metrics", *([actor] if dev else []))}
        answer.feedback = {"reason": plan.word(f"{name}feedback", *([actor] if dev else []))}
        answer.save()
    if state != "draft":
        _judging(plan, name, submission)
    return submission


def _judging(plan: Plan, name: str, submission: Submission) -> None:
    profile, _ = JudgeProfile.objects.get_or_create(
        content_hash="1" * 64,
        defaults={"name": plan.word("profile"), "judge": "lexical", "created_at": NOW},
    )
    run = JudgeRun.objects.create(
        submission=submission, round=1, profile=profile, short_circuit=True, started_at=NOW
    )
    answer = submission.answers.all()[0]
    Verdict.objects.create(
        run=run,
        answer=answer,
        rubric=answer.task.rubrics.get(),
        check_id=plan.word(f"{name}check"),
        key="2" * 64,
        finding="supported",
        statement=plan.word(f"{name}statement"),
        reason=plan.word(f"{name}reason"),
        quote=plan.word(f"{name}quote"),
        created_at=NOW,
    )
    Extraction.objects.create(
        run=run, answer=answer, name=plan.word(f"{name}extraction"), key="3" * 64, outcome="ok",
        data={"d": plan.word(f"{name}data")}, created_at=NOW,
    )  # fmt: skip


def _pages(plan: Plan) -> None:
    url = f"https://{plan.word('pageurl')}.example"
    page = Page.objects.create(key=url, key_hash="4" * 64, url=url, created_at=NOW)
    PageSnapshot.objects.create(
        page=page, number=1, verdict="timeout", url=url, detail=plan.word("pagedetail"), fetched_at=NOW
    )
    ModelCall.objects.create(
        key="5" * 64, content=plan.word("reply"), model_served="m", finish_reason="stop", created_at=NOW
    )


def _people(plan: Plan) -> dict[str, Team]:
    teams = {}
    for actor in ("owner", "other"):
        teams[actor] = make_team(
            name=plan.word(f"{actor}team", actor, "viewer"),
            organisation=plan.word(f"{actor}organisation", actor, "viewer"),
        )
        key, token = make_key(teams[actor])
        ApiKey.objects.filter(pk=key.pk).update(
            secret_hash=key.secret_hash, name=plan.word(f"{actor}keyname", actor)
        )
        plan.seen_by[key.secret_hash] = frozenset()
        plan.seen_by[token.split("_", 2)[2]] = frozenset()
        IdempotencyKey.objects.create(
            team=teams[actor], key="k", request_hash="6" * 64, status=200, created_at=NOW,
            body={"b": plan.word(f"{actor}reply")},
        )  # fmt: skip
        user = make_user()
        Membership.objects.create(team=teams[actor], user=user)
        browser = Client(raise_request_exception=False)
        browser.force_login(user)
        plan.clients[actor] = (browser, {"Authorization": f"Bearer {token}"})
    viewer = make_user(staff=True)
    viewer.groups.set([Group.objects.get(name="viewer")])
    browser = Client(raise_request_exception=False)
    browser.force_login(viewer)
    plan.clients |= {"viewer": (browser, {}), "anonymous": (Client(raise_request_exception=False), {})}
    return teams


def _board(plan: Plan, prompt_seen_by: tuple[str, ...]) -> TaskSet:
    """A published board with one row, of a team that is nobody's here: what it shows, everybody may see."""
    task_set = _task_set(plan, "board", prompt_seen_by=prompt_seen_by)
    team = make_team(
        name=plan.word("listedteam", "viewer"), organisation=plan.word("listedorganisation", *ACTORS)
    )
    system = make_system(
        team, name=plan.word("listedsystem", *ACTORS), model=plan.word("listedmodel", *ACTORS)
    )
    submission = scored(task_set, [1.0, 0.5], system=system, note=plan.word("listednote", "viewer"))
    for answer in submission.answers.all():
        answer.text = plan.word("listedanswer")
        answer.feedback = {"reason": plan.word("listedfeedback")}
        answer.save()
    _judging(plan, "listed", submission)
    publish(task_set=task_set, now=now())
    plan.ids["entry_id"] = list(Entry.objects.values_list("public_id", flat=True))
    return task_set


def plant() -> Plan:
    """Fill the database with words."""
    plan = Plan()
    teams = _people(plan)
    both = ("owner", "other")
    dev = _task_set(plan, "dev", prompt_seen_by=both)
    test = _task_set(plan, "test", prompt_seen_by=both, split="test")
    sealed = _task_set(plan, "sealed", prompt_seen_by=(), split="test", delivery="sealed")
    hidden = _task_set(
        plan, "draft", prompt_seen_by=(), state="draft", title=plan.word("drafttitle", "viewer"),
        description=plan.word("draftdescription", "viewer"),
    )  # fmt: skip
    made = [
        _submission(plan, teams[actor], actor, task_set, state)
        for actor in both
        for task_set, state in ((dev, "judged"), (dev, "draft"), (test, "published"), (sealed, "judged"))
    ]
    for actor in both:
        make_system(teams[actor], name=plan.word(f"{actor}system", actor, "viewer"))
    _pages(plan)
    board = _board(plan, both)
    systems = [submission.system for submission in made]
    sets = [dev, test, sealed, hidden, board]
    tasks = [task_set.tasks.all()[0] for task_set in sets]
    plan.ids |= {
        "slug": [task_set.slug for task_set in sets],
        "version": ["1"],
        "submission_id": [submission.public_id for submission in made],
        "system_id": [system.public_id for system in systems],
        "task_id": [task.public_id for task in tasks],
        "run": ["1", "2"],
        "object_id": ["x", *_row_numbers()],
        "app_label": ["submissions", "judging", "leaderboard", "auth"],
        "content_type_id": ["1", "7"],
    }
    plan.ids["*"] = sorted({value for values in plan.ids.values() for value in values})
    return plan


def _row_numbers() -> list[str]:
    """Submissions and task sets by their rows, and the first row of everything else."""
    numbers = {row.pk for model in (Submission, TaskSet) for row in model._default_manager.all()}
    for model in apps.get_models():
        numbers |= set(model._default_manager.order_by("pk").values_list("pk", flat=True)[:1])
    return sorted(map(str, numbers))


def _flat(patterns: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _flat(pattern.url_patterns, (*before, pattern.pattern))
        elif isinstance(pattern, URLPattern):
            yield (*before, pattern.pattern)


_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")


def addresses(plan: Plan) -> list[str]:
    """Every route of the URLconf with every fitting id."""
    found = set()
    for parts in _flat(get_resolver().url_patterns):
        template = "".join(
            str(part).strip("^$\\Z") if isinstance(part, RegexPattern) else str(part) for part in parts
        )
        names = [first or second for first, second in _PARAMETER.findall(template)]
        for values in itertools.product(*(plan.ids.get(name, plan.ids["*"]) for name in names)):
            address = template
            for value in values:
                address = _PARAMETER.sub(value, address, count=1)
            found.add("/" + address)
    return sorted(found)


def _requests(address: str) -> Iterator[tuple[str, bytes, str]]:
    for media_type in MEDIA_TYPES if "/api/" in address else MEDIA_TYPES[:1]:
        yield "GET", b"", media_type
    if "/admin/" not in address:
        for method in METHODS:
            for body in BODIES:
                yield method, body, "*/*"


def leaks(plan: Plan, found: set[Sighting]) -> list[Sighting]:
    """The sightings by somebody who may not see the word."""
    return sorted(sighting for sighting in found if sighting.actor not in plan.seen_by[sighting.word])


def crawl(plan: Plan, *, below: str = "/") -> set[Sighting]:
    """All words that were found, allowed or not. Reading comes first: writing changes what there is to read."""
    pattern = re.compile("|".join(map(re.escape, plan.seen_by)))
    wanted = [
        (address, *request)
        for address in addresses(plan)
        if below in address
        for request in _requests(address)
    ]
    wanted.sort(key=lambda one: one[1] != "GET")
    found = set()
    for address, method, body, media_type in wanted:
        for actor, (browser, headers) in plan.clients.items():
            response = browser.generic(
                method,
                address,
                body,
                content_type="application/json",
                headers={**headers, "Accept": media_type},
            )
            assert response.status_code < 500, (method, address, actor, response.content[:300])
            text = f"{response.headers}\n" + b"".join(response).decode("utf-8", "replace")
            found |= {Sighting(word, actor, f"{method} {address}") for word in pattern.findall(text)}
    letters = " ".join(str(message.message()) for message in mail.outbox)
    return found | {Sighting(word, "anonymous", "mail") for word in pattern.findall(letters)}
