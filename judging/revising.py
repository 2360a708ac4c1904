"""Correcting the rubric of one task of a version that is imported: nothing else of the set may have changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from judging.imports import RefusedBundle, changed_pages, read_whole, revise_rubric
from judging.models import Rubric
from judging.pages.captures import Capture
from judging.rubric import MANIFEST, Bundle, Fault, TaskSpec
from submissions.models import Submission, Task, TaskSet

__all__ = ["Revised", "revise"]

# What an import took over and nobody edits; the words about a set (title, description) are staff's.
_OF_THE_SET = {
    "protocol": "protocol", "split": "split", "delivery": "delivery", "runs": "runs", "licence": "licence",
    "as_of": "as_of", "profile": "scoring_profile",
}  # fmt: skip
_OF_A_TASK = (
    "prompt", "position", "domain", "subdomain", "task_type", "time_varying", "language", "effort_minutes", "subset",
    "cluster", "valid_until",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Revised:
    """What a revision did. ``created`` is False where the task's rubric was like this already."""

    task_set: TaskSet
    rubric: Rubric
    created: bool
    warnings: tuple[Fault, ...]

    @property
    def judged(self) -> int:
        """How many submissions were or are being judged by the rubrics there were before."""
        states = [*Submission.SCORED, Submission.State.JUDGING, Submission.State.PAUSED]
        return self.task_set.submissions.filter(state__in=states).count() if self.created else 0


@transaction.atomic
def revise(*, files: Mapping[str, bytes], key: str, now: dt.datetime) -> Revised:
    """Take the rubric of task ``key`` out of a corrected bundle. Submissions must be judged again to feel it.

    :param files: the whole set, POSIX paths relative to the bundle's root.
    :raises RefusedBundle: with every fault, and with everything else that is not as imported; nothing was stored.
    """
    bundle, captures, warnings = read_whole(files)
    # Held to the end: of two revisions the second sees what the first did.
    versions = TaskSet.objects.select_for_update(no_key=True).filter(slug=bundle.slug, version=bundle.version)
    task_set = versions.first()
    if task_set is None:
        why = f"{bundle.slug} {bundle.version} is not imported: import it first"
        raise RefusedBundle([Fault(MANIFEST, "version", why)])
    tasks = {task.key: task for task in task_set.tasks.prefetch_related("rubrics")}
    if faults := [*_faults(task_set, tasks, bundle, captures, key)]:
        raise RefusedBundle(faults)
    spec = next(one for one in bundle.tasks if one.key == key)
    known = set(tasks[key].rubrics.all())
    rubric = revise_rubric(task=tasks[key], spec=spec, now=now)
    return Revised(task_set, rubric, rubric not in known, warnings)


def _faults(
    task_set: TaskSet, tasks: Mapping[str, Task], bundle: Bundle, captures: Sequence[Capture], key: str
) -> Iterator[Fault]:
    if task_set.split != TaskSet.Split.DEV:
        yield Fault(
            MANIFEST, "split", "the rubrics of a test set are revised by two people, not by this command"
        )
    for name, column in _OF_THE_SET.items():
        if getattr(bundle, name) != getattr(task_set, column):
            yield Fault(MANIFEST, name, _why(bundle))
    specs = {spec.key: spec for spec in bundle.tasks}
    if key not in specs.keys() & tasks.keys():
        yield Fault(f"tasks/{key}.yaml", "", f"is no task of {task_set}: --task is one of {', '.join(tasks)}")
    for name in sorted((specs.keys() ^ tasks.keys()) - {key}):
        yield Fault(f"tasks/{name}.yaml", "", _why(bundle))
    for name in specs:
        if name in tasks:
            yield from _task_faults(tasks[name], specs[name], bundle, revised=name == key)
    yield from changed_pages(task_set, captures, _why(bundle))


def _task_faults(task: Task, spec: TaskSpec, bundle: Bundle, *, revised: bool) -> Iterator[Fault]:
    file = f"tasks/{spec.key}.yaml"
    for name in _OF_A_TASK:
        given = getattr(spec, name)
        if (list(given) if isinstance(given, tuple) else given) != getattr(task, name):
            yield Fault(file, name, _why(bundle))
    known = {rubric.content_hash for rubric in task.rubrics.all()}
    if not revised and spec.rubric_hash not in known:
        yield Fault(
            file,
            "",
            f"has another rubric than any that is stored: revise one task at a time (--task {spec.key})",
        )


def _why(bundle: Bundle) -> str:
    return f"is not as imported: a revision changes the rubric of one task; all else is a new version of {bundle.slug}"
