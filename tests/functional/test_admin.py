"""The plain admin: keys are shown once, submissions are only looked at, texts of teams stay texts."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import NoReverseMatch, reverse

from submissions.models import ApiKey, Organisation, Submission, Team
from tests.factories import (
    fill_answer,
    make_draft,
    make_key,
    make_submission,
    make_system,
    make_task_set,
    make_team,
    make_user,
)
from tests.functional.staff import EVIL, page_of, signed_in
from tests.functional.staff import listing as staff_listing
from tests.http import ApiClient

pytestmark = pytest.mark.django_db

MODELS = ("organisation", "team", "apikey", "system", "taskset", "task", "submission", "answer")


listing = partial(staff_listing, app="submissions")


@pytest.mark.parametrize("model", MODELS)
def test_every_list_and_page_opens_for_a_superuser(model: str) -> None:
    submission = make_submission()
    make_key(submission.system.team)
    browser = signed_in(superuser=True)
    assert browser.get(listing(model)).status_code == 200
    assert browser.get(listing(model) + "?q=x").status_code == 200
    manager = apps.get_model("submissions", model)._default_manager
    instance = manager.order_by("pk").first()
    assert browser.get(page_of(instance)).status_code == 200


VIEWED = {
    "viewer": {"organisation", "team", "system", "taskset", "submission"},
    "task author": {"taskset", "task"},
    "validator": {"taskset", "task", "answer"},
    "judge operator": {"organisation", "team", "system", "taskset", "task", "submission", "answer"},
    "set owner": set(MODELS),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("role", VIEWED)
def test_who_opens_which_list_is_a_table(role: str, model: str) -> None:
    status = signed_in(role).get(listing(model)).status_code
    assert status == (200 if model in VIEWED[role] else 403)


def test_strangers_and_teams_open_nothing() -> None:
    browser = Client()
    browser.force_login(make_user())
    for client in (Client(), browser):
        for model in MODELS:
            assert client.get(listing(model)).status_code == 302


def issue(browser: Client, **fields: Any) -> Any:
    """A key from the form."""
    data = {"team": make_team().pk, "name": "laptop", "scopes": ["read", "submit"], "days": 30, **fields}
    return browser.post(reverse("admin:submissions_apikey_add"), data)


def test_a_key_is_shown_once_and_works() -> None:
    browser = signed_in("set owner")
    response = issue(browser, name=EVIL)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    (token,) = re.findall(r"evk_[0-9a-z]{16}_[\w-]{43}", response.content.decode())
    assert EVIL not in response.content.decode()
    assert ApiClient(token).get("me").status_code == 200
    key = ApiKey.objects.get()
    assert (key.expires_at - key.created_at).days == 30
    secret = token.split("_", 2)[2]
    for address in (page_of(key), listing("apikey"), reverse("admin:index")):
        shown = browser.get(address).content.decode()
        assert secret not in shown
        assert key.secret_hash not in shown


@pytest.mark.parametrize(
    "fields", [{"scopes": ["admin"]}, {"scopes": []}, {"days": 0}, {"name": ""}, {"team": 0}]
)
def test_a_wrong_form_issues_no_key(fields: dict[str, Any]) -> None:
    response = issue(signed_in("set owner"), **fields)
    assert response.status_code == 200
    assert not ApiKey.objects.exists()


def test_the_form_offers_the_installations_lifetime() -> None:
    shown = signed_in("set owner").get(reverse("admin:submissions_apikey_add")).content.decode()
    assert 'name="days" value="365"' in shown


def test_keys_are_revoked_in_the_list_and_edited_nowhere() -> None:
    key, token = make_key(make_team())
    browser = signed_in("set owner")
    before = ApiKey.objects.values().get()
    browser.post(page_of(key), {"name": "changed", "scopes": ["read"], "days": 9, "team": make_team().pk})
    assert ApiKey.objects.values().get() == before
    data = {"action": "revoke", "_selected_action": [key.pk]}
    browser.post(listing("apikey"), data)
    assert ApiClient(token).get("me").status_code == 401
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_a_viewer_revokes_nothing() -> None:
    key, token = make_key(make_team())
    browser = signed_in("viewer")
    browser.post(listing("apikey"), {"action": "revoke", "_selected_action": [key.pk]})
    assert ApiClient(token).get("me").status_code == 200


def test_organisations_teams_and_domains_are_made_by_hand() -> None:
    browser = signed_in("set owner")
    empty = {
        f"{prefix}-{name}": 0
        for prefix in ("domains", "memberships")
        for name in ("TOTAL_FORMS", "INITIAL_FORMS")
    }
    browser.post(reverse("admin:submissions_organisation_add"), {"name": "Org", **empty})
    organisation = Organisation.objects.get()
    assert organisation.created_at is not None
    browser.post(
        reverse("admin:submissions_team_add"), {"name": "T", "organisation": organisation.pk, **empty}
    )
    team = Team.objects.get()
    browser.post(page_of(team), {"name": "T2", "organisation": organisation.pk, **empty})
    team.refresh_from_db()
    assert team.name == "T2"
    data = {
        "name": "Org",
        "domains-TOTAL_FORMS": 1,
        "domains-INITIAL_FORMS": 0,
        "domains-0-name": "org.example",
    }
    browser.post(page_of(organisation), data)
    assert organisation.domains.get().name == "org.example"


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_deleted_by_hand(model: str) -> None:
    make_submission()
    browser = signed_in(superuser=True)
    assert browser.get(reverse(f"admin:submissions_{model}_delete", args=[1])).status_code in (302, 403)
    assert "delete_selected" not in browser.get(listing(model)).content.decode()


@pytest.mark.parametrize("model", ["system", "taskset", "task", "submission", "answer"])
def test_what_the_service_makes_is_not_added_by_hand(model: str) -> None:
    assert signed_in(superuser=True).get(reverse(f"admin:submissions_{model}_add")).status_code == 403


def test_submissions_are_only_looked_at() -> None:
    submission = make_submission("judged")
    browser = signed_in(superuser=True)
    assert browser.post(page_of(submission), {"state": "published"}).status_code == 403
    submission.refresh_from_db()
    assert submission.state == "judged"


def test_texts_of_teams_stay_texts() -> None:
    system = make_system(make_team(name=EVIL), name=EVIL, version=EVIL)
    submission = make_draft(system=system, note=EVIL)
    answer = fill_answer(submission, text=EVIL)
    browser = signed_in(superuser=True)
    addresses = [listing(model) for model in MODELS]
    addresses += [page_of(row) for row in (submission, submission.system, submission.system.team, answer)]
    for address in addresses:
        assert EVIL not in browser.get(address).content.decode(), address
    assert "&lt;script&gt;" in browser.get(page_of(answer)).content.decode()


def test_prompts_and_answers_are_on_no_list() -> None:
    submission = make_submission("draft", task_set=make_task_set(tasks=3))
    submission.answers.update(text="unmistakable answer", given=True)
    browser = signed_in(superuser=True)
    for model in MODELS:
        shown = browser.get(listing(model)).content.decode()
        assert "What is asked" not in shown
        assert "unmistakable answer" not in shown
        assert "task-1" not in shown


@pytest.mark.parametrize("model", MODELS)
def test_lists_cost_the_same_however_long(model: str, django_assert_max_num_queries: Any) -> None:
    for _ in range(20):
        make_key(make_submission().system.team)
    browser = signed_in(superuser=True)
    with django_assert_max_num_queries(12):
        browser.get(listing(model))


def test_unrounded_scores_are_for_those_who_may_read_answers() -> None:
    submission = make_submission("judged", summary={"exact": "0.123456789"})
    assert "0.123456789" in signed_in("judge operator").get(page_of(submission)).content.decode()
    assert "0.123456789" not in signed_in("viewer").get(page_of(submission)).content.decode()


@pytest.mark.parametrize("model", ["schedule", "success", "failure", "ormq", "task"])
def test_nobody_gets_at_the_queue_through_the_admin(model: str) -> None:
    browser = signed_in(superuser=True)
    for address in (f"/admin/django_q/{model}/", f"/admin/django_q/{model}/add/", "/admin/django_q/"):
        assert browser.get(address).status_code == 404
        assert browser.post(address, {"func": "os.system", "args": "'true'"}).status_code == 404
    for name in ("add", "changelist"):
        with pytest.raises(NoReverseMatch):
            reverse(f"admin:django_q_{model}_{name}")
    assert b"django_q" not in browser.get("/admin/").content


def test_stored_json_is_indented_and_escaped() -> None:
    submission = make_submission("judged", summary={"one": {"exact": EVIL, "figures": list(range(40))}})
    shown = signed_in(superuser=True).get(page_of(submission)).content.decode()
    assert EVIL not in shown
    assert (
        "{\n  &quot;one&quot;: {\n    &quot;exact&quot;: &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;"
        in shown
    )


def test_what_fits_a_line_stays_one_and_what_is_not_there_is_a_dash() -> None:
    submission = make_submission("judged", summary={"exact": EVIL})
    shown = signed_in(superuser=True).get(page_of(submission)).content.decode()
    assert "{&quot;exact&quot;: &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;}" in shown
    provenance = shown.split("field-provenance")[1].split("field-")[0]
    assert re.search(r'<div class="readonly">–</div>', provenance)


def test_stored_json_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.admin.looks.SHOWN", 200)
    submission = make_submission("judged", summary={"long": "x" * 1_000})
    shown = signed_in(superuser=True).get(page_of(submission)).content.decode()
    assert "x" * 201 not in shown
    assert "characters more]" in shown


def test_an_answer_is_one_block_and_cut_where_it_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.admin.looks.SHOWN", 200)
    answer = fill_answer(make_draft(), text="# An answer\n" + "y" * 1_000)
    shown = signed_in(superuser=True).get(page_of(answer)).content.decode()
    assert '<pre class="stored" tabindex="0"># An answer\n' in shown
    assert "y" * 201 not in shown


def test_a_submissions_state_comes_with_its_reason() -> None:
    submission = make_submission("failed")
    Submission.objects.filter(pk=submission.pk).update(state_reason="poisoned")
    make_submission("judged")
    shown = signed_in("viewer").get(listing("submission") + "?o=4").content.decode()
    assert ">failed: poisoned<" in shown
    assert ">judged<" in shown
