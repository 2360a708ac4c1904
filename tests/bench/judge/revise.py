"""One claim of one task, worded anew."""

from __future__ import annotations

import yaml
from django.utils import timezone

from judging.imports import revise_rubric
from judging.rubric import read_bundle
from submissions.models import TaskSet
from tests.bench.judge.world import bundle_files

KEY = "region-000"


def revise_one() -> None:
    """Change what is asked about the first station of the first task."""
    files = bundle_files()
    task = yaml.safe_load(files[f"tasks/{KEY}.yaml"])
    task["tree"]["children"][0]["children"][1]["claim"] += ", as measured there"
    files[f"tasks/{KEY}.yaml"] = yaml.safe_dump(task, sort_keys=False).encode()
    bundle = read_bundle(files).bundle
    assert bundle is not None
    spec = next(one for one in bundle.tasks if one.key == KEY)
    revise_rubric(task=TaskSet.objects.get(slug="rain").tasks.get(key=KEY), spec=spec, now=timezone.now())
