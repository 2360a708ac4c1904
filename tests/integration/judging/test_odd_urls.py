"""Addresses that browsers read and other parsers refuse: a citation of one costs its claim, never the submission."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from judging.models import CitedPage, Verdict
from submissions.models import OrganisationDomain, Submission
from tests.factories import make_system, make_team
from tests.judging_factories import (
    SITE,
    import_set,
    judged,
    lake_answer,
    lake_task,
    scores_of,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "url", ["https://a[b@www.institute-of-ice.example/x", "https://a\u2100b@ice.example/x"]
)
def test_a_citation_with_a_name_before_its_host_is_denied_and_the_rest_is_judged(
    url: str, settings: Any
) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PAGES": "live", "CONTACT": "us@eval.example"}
    system = make_system(make_team())
    OrganisationDomain.objects.create(
        organisation=system.team.organisation, name="lab.example", verified_at=timezone.now()
    )
    task_set = import_set(tree_files({"brume": lake_task()}))
    submission = judged(task_set, {"brume": lake_answer(212, 14, url)}, system=system)
    assert submission.state == Submission.State.JUDGED
    assert scores_of(submission) == {"brume": 0.0}
    (row,) = CitedPage.objects.filter(submission=submission).select_related("snapshot")
    assert row.snapshot is not None
    assert row.snapshot.verdict == "denied"
    depth = Verdict.objects.get(run__submission=submission, check_id="depth")
    assert (depth.finding, depth.error_class) == ("undecided", "attribution.invalid")


TOWN: dict[str, Any] = {
    "prompt": "Name a lake and link its page.",
    "extract": {
        "reply": {
            "instruction": "The lake's name and the URL of the page linked for it",
            "schema": {
                "type": "object",
                "properties": {"lake": {"type": "string"}, "page": {"type": "string"}},
            },
        }
    },
    "tree": {
        "children": [
            {"id": "given", "critical": True, "assert": "reply.lake"},
            {"id": "deep", "claim": "{{ reply.lake }} is 212 metres deep", "sources": "reply.page"},
            {
                "id": "long",
                "extract": {
                    "as": "page",
                    "instruction": "Its length in kilometres",
                    "schema": {
                        "type": "object",
                        "properties": {"length": {"type": "integer", "x-pattern": "(14) k"}},
                    },
                },
                "from_url": "reply.page",
                "assert": "page.length == 14",
            },
        ]
    },
}


@pytest.mark.parametrize("page", [f"[Lake Brume]({SITE}/brume)", f"{SITE}/brume", f"<{SITE}/brume>, its own"])
def test_a_page_asked_for_as_a_text_is_the_one_that_is_linked(page: str) -> None:
    submission = judged(import_set(tree_files({"t": TOWN})), {"t": f"- Lake: Lake Brume\n- Page: {page}\n"})
    assert scores_of(submission) == {"t": 1.0}


def test_a_page_that_is_no_address_counts_as_none_given() -> None:
    answer = "- Lake: Lake Brume\n- Page: the lake's own\n"
    submission = judged(import_set(tree_files({"t": TOWN})), {"t": answer})
    assert scores_of(submission) == {"t": 0.0}
    rows = Verdict.objects.filter(run__submission=submission, check_id__in=["deep", "long"])
    assert {(row.code, row.error_class) for row in rows} == {("no_sources", "attribution.missing")}
