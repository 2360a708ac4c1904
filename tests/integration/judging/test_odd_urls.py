"""Addresses that browsers read and other parsers refuse: a citation of one costs its claim, never the submission."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from judging.models import CitedPage, Verdict
from submissions.models import OrganisationDomain, Submission
from tests.factories import make_system, make_team
from tests.judging_factories import import_set, judged, lake_answer, lake_task, scores_of, tree_files

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
