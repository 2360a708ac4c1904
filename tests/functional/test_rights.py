"""Who may do what: every route and method of the API, for everyone who may come. Default: nobody."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from submissions.models import Answer, Submission, System, TaskSet
from submissions.services import revoke_key
from tests.factories import make_draft, make_key, make_system, make_task_set, make_team, now
from tests.http import ApiClient, assert_problem

pytestmark = pytest.mark.django_db

ACTORS = ("anonymous", "owner", "mate", "other", "reader", "writer", "expired", "revoked", "unknown")
REFUSED_KEYS = {"expired": "key_expired", "revoked": "key_revoked", "unknown": "key_unknown"}

PUBLIC = dict.fromkeys(ACTORS, "yes") | REFUSED_KEYS
# Anyone with a key that can read; what is read is the team's own.
READ = {"anonymous": "not_authenticated", "owner": "yes", "mate": "yes", "other": "yes", "reader": "yes",
        "writer": "scope_missing", **REFUSED_KEYS}  # fmt: skip
WRITE = READ | {"reader": "scope_missing", "writer": "yes"}
READ_OWN = READ | {"other": "not_found"}
WRITE_OWN = WRITE | {"other": "not_found"}
MAKE_OWN = WRITE | {"other": "system_unknown"}

RIGHTS: dict[tuple[str, str], dict[str, str]] = {
    ("GET", "me"): READ,
    ("GET", "task-sets"): PUBLIC,
    ("GET", "task-sets/{slug}"): PUBLIC,
    ("GET", "task-sets/{slug}/tasks"): READ,
    ("GET", "systems"): READ,
    ("POST", "systems"): WRITE,
    ("GET", "systems/{system_id}"): READ_OWN,
    ("PATCH", "systems/{system_id}"): WRITE_OWN,
    ("GET", "submissions"): READ,
    ("POST", "submissions"): MAKE_OWN,
    ("GET", "submissions/{submission_id}"): READ_OWN,
    ("DELETE", "submissions/{submission_id}"): WRITE_OWN,
    ("POST", "submissions/{submission_id}/finalize"): WRITE_OWN,
    ("POST", "submissions/{submission_id}/cancel"): WRITE_OWN,
    ("GET", "submissions/{submission_id}/answers"): READ_OWN,
    ("GET", "submissions/{submission_id}/answers/{task_id}/{run}"): READ_OWN,
    ("PUT", "submissions/{submission_id}/answers/{task_id}/{run}"): WRITE_OWN,
}


@dataclass
class World:
    """One team's draft, and everybody's keys."""

    draft: Submission
    tokens: dict[str, str | None]

    def path(self, template: str) -> str:
        """The address of the owner's things."""
        return template.format(
            slug=self.draft.task_set.slug,
            system_id=self.draft.system.public_id,
            submission_id=self.draft.public_id,
            task_id=self.draft.task_set.tasks.all()[0].public_id,
            run=1,
        )

    def body(self, method: str, template: str) -> Any:
        """What a good request says."""
        new_draft = {"system": self.draft.system.public_id, "task_set": self.draft.task_set.slug}
        bodies: dict[tuple[str, str], Any] = {
            ("POST", "systems"): {"name": "New", "system_class": "human"},
            ("PATCH", "systems/{system_id}"): {"version": "2"},
            ("POST", "submissions"): new_draft,
            ("PUT", "submissions/{submission_id}/answers/{task_id}/{run}"): {"answer": "x"},
        }
        return bodies.get((method, template))


@pytest.fixture
def world() -> World:
    """See :class:`World`."""
    team = make_team()
    draft = make_draft(team=team)
    draft.answers.filter(run=1, task__position=2).update(text="x", given=True)
    revoked, revoked_text = make_key(team)
    revoke_key(key=revoked, now=now())
    key, text = make_key(team)
    tokens = {
        "anonymous": None,
        "owner": text,
        "mate": make_key(team)[1],
        "other": make_key(make_team(organisation=team.organisation.name))[1],
        "reader": make_key(team, scopes=("read",))[1],
        "writer": make_key(team, scopes=("submit",))[1],
        "expired": make_key(team, at=now() - dt.timedelta(days=2), days=1)[1],
        "revoked": revoked_text,
        "unknown": f"evk_{key.public_id}_{'x' * 43}",
    }
    return World(draft, tokens)


def _state() -> list[Any]:
    """Everything a request could have changed."""
    models = (System, Submission, Answer, TaskSet)
    return [list(model.objects.order_by("pk").values()) for model in models]


@pytest.mark.parametrize("actor", ACTORS)
@pytest.mark.parametrize(("method", "template"), RIGHTS, ids=" ".join)
def test_the_table_holds(world: World, method: str, template: str, actor: str) -> None:
    before = _state()
    client = ApiClient(world.tokens[actor])
    response = client.request(method, world.path(template), world.body(method, template))
    expected = RIGHTS[method, template][actor]
    if expected == "yes":
        assert response.status_code < 300, response.content
    else:
        assert_problem(response, expected)
        assert _state() == before


def _routes(patterns: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            yield path, pattern.callback


def _ours() -> set[tuple[str, str]]:
    found = set()
    for path, callback in _routes(get_resolver().url_patterns):
        view = getattr(callback, "cls", None)
        if view is None or not view.__module__.startswith("submissions."):
            continue
        template = path.removeprefix("api/v1/")
        for converter in ("publicid", "slug", "run"):
            template = template.replace(f"<{converter}:", "{")
        for method in view().allowed_methods:
            if method != "HEAD":
                found.add((method, template.replace(">", "}")))
    return found


def test_the_table_knows_every_route_and_method() -> None:
    assert _ours() == set(RIGHTS)


def test_another_teams_things_are_as_absent_as_nothing(world: World) -> None:
    client = ApiClient(world.tokens["other"])
    for (method, template), rights in RIGHTS.items():
        if rights["other"] != "not_found":
            continue
        foreign = client.request(method, world.path(template), world.body(method, template))
        nothing = world.path(template.replace("{submission_id}", "0" * 16).replace("{system_id}", "0" * 16))
        absent = client.request(method, nothing, world.body(method, template))
        bodies = [response.json() | {"instance": ""} for response in (foreign, absent)]
        assert bodies[0] == bodies[1]


def test_lists_hold_nothing_of_others(world: World) -> None:
    make_draft()
    client = ApiClient(world.tokens["other"])
    for path in ("systems", "submissions"):
        assert client.get(path).json() == {"next": None, "results": []}


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "Bearer x", "Bearer evk_", "Bearer evk_é_x", "bearer evk_" + "2" * 16 + "_" + "a" * 43,
     "Bearer evk_" + "2" * 16 + "_" + "a" * 5_000, "Bearer a b c", "Bearer evk_\0_x"],
)  # fmt: skip
def test_a_token_that_is_none_is_unknown(header: str) -> None:
    response = ApiClient().get("me", headers={"Authorization": header})
    assert_problem(response, "key_unknown")
    assert response["WWW-Authenticate"] == 'Bearer realm="evalservice"'


@pytest.mark.parametrize("header", ["Basic dTpw", "evk_x", ""])
def test_another_scheme_is_no_key(header: str) -> None:
    response = ApiClient().get("me", headers={"Authorization": header})
    assert_problem(response, "not_authenticated")


def test_the_state_of_a_key_is_told_to_its_holder_alone(world: World) -> None:
    for actor in ("expired", "revoked"):
        token = world.tokens[actor]
        assert token is not None
        response = ApiClient(token[:-1] + ("a" if token[-1] != "a" else "b")).get("me")
        assert_problem(response, "key_unknown")


def test_the_last_use_is_noted_once_a_minute(world: World, django_assert_num_queries: Any) -> None:
    client = ApiClient(world.tokens["owner"])
    first = client.get("me").json()["key"]["last_used_at"]
    assert first is None  # as it was before this request
    with django_assert_num_queries(1):
        second = client.get("me").json()["key"]["last_used_at"]
    with django_assert_num_queries(1):
        assert client.get("me").json()["key"]["last_used_at"] == second
    assert second is not None


def test_a_session_opens_no_door_of_the_api(client: Any, admin_user: Any) -> None:
    client.force_login(admin_user)
    assert client.get("/api/v1/me").status_code == 401


def test_two_systems_of_two_teams_never_meet() -> None:
    system = make_system(make_team())
    request = ApiClient(make_key(make_team())[1]).patch(f"systems/{system.public_id}", {"version": "9"})
    assert_problem(request, "not_found")
    system.refresh_from_db()
    assert system.version == ""


def test_tasks_are_listed_for_open_sets_alone() -> None:
    client = ApiClient(make_key(make_team())[1])
    sealed = make_task_set(split="test", delivery="sealed")
    assert_problem(client.get(f"task-sets/{sealed.slug}/tasks"), "sealed_needs_lease")
    coming = make_task_set(opens_at=now() + dt.timedelta(hours=1))
    assert client.get(f"task-sets/{coming.slug}").status_code == 200
    assert_problem(client.get(f"task-sets/{coming.slug}/tasks"), "task_set_not_open")
    hidden = make_task_set(state="draft")
    assert_problem(client.get(f"task-sets/{hidden.slug}"), "not_found")
    assert_problem(client.get(f"task-sets/{hidden.slug}/tasks"), "not_found")
