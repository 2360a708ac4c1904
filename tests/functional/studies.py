"""Label studies in a browser: made, labelled, opened."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from judging.models import LabelStudy, StudyNode
from submissions.models import Submission
from tests.functional.staff import EVIL, signed_in
from tests.judging_factories import import_set, judged, lake_answer, lake_task, tree_files

ANSWER = lake_answer(999, 14, "brume")


def at(name: str, *parts: int) -> str:
    return reverse(f"admin:judging_labelstudy_{name}", args=parts)


def made(browser: Client, *rows: Any, name: str = "first", size: int = 20, seed: int = 1) -> LabelStudy:
    """A study of these rows, by the way of their list."""
    model = rows[0]._meta.model_name
    action = {"action": "label_study", "_selected_action": [row.pk for row in rows]}
    sent = browser.post(reverse(f"admin:submissions_{model}_changelist"), action)
    assert sent.status_code == 302
    assert browser.get(sent["Location"]).status_code == 200
    done = browser.post(sent["Location"], {"name": name, "size": size, "seed": seed})
    assert done.status_code == 302, done.content.decode()
    return LabelStudy.objects.get(name=name)


def say(browser: Client, study: LabelStudy, verdict: str, *, place: int = 0, note: str = "") -> str:
    """Label a check (the next one unless its place is named); where the page goes on."""
    address = at("place", study.pk, place) if place else browser.get(at("label", study.pk))["Location"]
    node = browser.get(address).context["node"].pk
    return str(browser.post(address, {"verdict": verdict, "note": note, "node": node})["Location"])


def say_all(browser: Client, study: LabelStudy, verdict: str = "supported") -> None:
    for _ in range(StudyNode.objects.filter(of__study=study).count()):
        say(browser, study, verdict)


def opened(browser: Client, study: LabelStudy, query: str = "") -> str:
    """The comparison, after this person has said that they want to see it."""
    assert browser.post(at("compare", study.pk)).status_code == 302
    return browser.get(at("compare", study.pk) + query).content.decode()


def wrong_answer() -> Submission:
    """An answer that states the depth wrongly: with one check met, others not, on a page with markup in it."""
    return judged(import_set(tree_files({"brume": lake_task()})), {"brume": f"{ANSWER}\n{EVIL}"})


def a_study() -> LabelStudy:
    """All checks of that answer."""
    return made(signed_in("judge operator"), wrong_answer())
