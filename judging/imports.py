"""Taking in task sets: all of it in one transaction, or the complete list of what is wrong."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from judging.citations import url_key
from judging.linting import read_set
from judging.models import Rubric
from judging.pages.archive import INDEX
from judging.pages.captures import Capture
from judging.pages.store import save_captures
from judging.rubric import MANIFEST, Bundle, Fault, TaskSpec
from judging.rubric.faults import Severity
from judging.search.appointing import allowed, names_search
from judging.search.interface import ProviderName
from submissions.models import Task, TaskSet


class RefusedBundle(Exception):
    """The bundle was not imported; ``faults`` says everything that must be mended."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. ``created`` is False where the same version was there with the same content."""

    task_set: TaskSet
    created: bool
    warnings: tuple[Fault, ...]
    pages: int

    @property
    def note(self) -> str:
        """What the organiser should know of the pages that came along; empty without any."""
        if not self.pages:
            return ""
        return "What cites one of these pages is judged by this copy, also where pages are fetched live."


def import_taskset(*, files: Mapping[str, bytes], now: dt.datetime) -> Imported:
    """Import a bundle. Doing it twice changes nothing; changed content needs a new version.

    :param files: POSIX paths relative to the bundle's root.
    :raises RefusedBundle: with every fault; nothing was stored.
    """
    bundle, archive, warnings = read_whole(files)
    existing = _existing(bundle)
    if existing is None:
        try:
            return Imported(_create(bundle, archive, now), True, warnings, len(archive))
        except IntegrityError:
            existing = _existing(bundle)
            if existing is None:  # not somebody else's import of this version
                raise
    _refuse_changes(existing, bundle, archive)
    return Imported(existing, False, warnings, len(archive))


def _existing(bundle: Bundle) -> TaskSet | None:
    return TaskSet.objects.filter(slug=bundle.slug, version=bundle.version).first()


def read_whole(files: Mapping[str, bytes]) -> tuple[Bundle, tuple[Capture, ...], tuple[Fault, ...]]:
    """A bundle with its pages, and the warnings about it.

    :raises RefusedBundle: with every fault of the task set and its archive.
    """
    reading = read_set(files)
    if reading.bundle is None:
        raise RefusedBundle(reading.faults)
    return reading.bundle, reading.captures, (*reading.warnings, *unsearched(reading.bundle))


def unsearched(bundle: Bundle) -> Iterator[Fault]:
    """What an installation without search must say of a set that names it; such claims are judged by the others."""
    for task in bundle.tasks if allowed(bundle.split) is ProviderName.OFF else ():
        if names_search(task.rubric):
            why = "names search evidence, but this installation does not search: the other evidence decides"
            yield Fault(f"tasks/{task.key}.yaml", "subtasks", why, Severity.WARNING)


def _refuse_changes(existing: TaskSet, bundle: Bundle, archive: Sequence[Capture]) -> None:
    """The same version again must be the same to the byte, its pages included."""
    why = f"version {bundle.version} is already imported with other content: raise the version"
    if existing.content_hash != bundle.content_hash:
        raise RefusedBundle([Fault(MANIFEST, "version", why)])
    if changed := list(changed_pages(existing, archive, f"is not as imported: {why}")):
        raise RefusedBundle(changed)


def changed_pages(existing: TaskSet, archive: Sequence[Capture], why: str) -> Iterator[Fault]:
    """A fault for every page that an imported version has otherwise, or not at all."""
    known = set(
        existing.archived_snapshots.values_list(
            "page__key", "verdict", "status", "raw_sha256", "picture_sha256"
        )
    )
    for capture in archive:
        if _identity(capture) not in known:
            yield Fault(INDEX, capture.url, why)


def _identity(capture: Capture) -> tuple[str, str, int | None, str, str]:
    raw, shot = (hashlib.sha256(data).hexdigest() if data else "" for data in (capture.raw, capture.shot))
    return url_key(capture.url), capture.verdict.value, capture.status, raw, shot


@transaction.atomic
def _create(bundle: Bundle, captures: Sequence[Capture], now: dt.datetime) -> TaskSet:
    task_set = TaskSet.objects.create(
        slug=bundle.slug,
        version=bundle.version,
        title=bundle.title,
        description=bundle.description,
        protocol=bundle.protocol,
        split=bundle.split,
        delivery=bundle.delivery,
        delivery_reason=bundle.delivery_reason,
        runs=bundle.runs,
        licence=bundle.licence,
        scoring_profile=dict(bundle.profile),
        as_of=bundle.as_of,
        content_hash=bundle.content_hash,
        created_at=now,
    )
    for spec in bundle.tasks:
        _create_task(task_set, spec, now)
    save_captures(captures, task_set=task_set, now=now)
    return task_set


def _create_task(task_set: TaskSet, spec: TaskSpec, now: dt.datetime) -> None:
    task = Task.objects.create(
        task_set=task_set,
        key=spec.key,
        position=spec.position,
        prompt=spec.prompt,
        domain=spec.domain,
        subdomain=spec.subdomain,
        task_type=spec.task_type,
        time_varying=spec.time_varying,
        language=spec.language,
        effort_minutes=spec.effort_minutes,
        subset=list(spec.subset),
        cluster=spec.cluster,
        valid_until=spec.valid_until,
    )
    Rubric.objects.create(
        task=task,
        revision=1,
        source=dict(spec.rubric),
        ready=spec.ready,
        content_hash=spec.rubric_hash,
        created_at=now,
    )


@transaction.atomic
def activate(*, task_set: TaskSet, now: dt.datetime) -> TaskSet:
    """Open a version; the version of the same set that was open retires at the same instant.

    :raises NotActivatable: a test set (that needs two people and the release gate), a retired one, or one whose
        closing date has passed.
    """
    # All versions of the set, in one order: of two activations the second sees what the first did.
    versions = list(TaskSet.objects.select_for_update().filter(slug=task_set.slug).order_by("id"))
    task_set = next(version for version in versions if version.pk == task_set.pk)
    _refuse_opening(task_set, now)
    if task_set.state == TaskSet.State.ACTIVE:
        return task_set
    for old in versions:
        if old.state == TaskSet.State.ACTIVE:
            opened = old.opens_at is None or old.opens_at < now
            old.move(TaskSet.State.RETIRED, closes_at=now if opened else old.closes_at)
    task_set.move(TaskSet.State.ACTIVE, opens_at=now)
    return task_set


def _refuse_opening(task_set: TaskSet, now: dt.datetime) -> None:
    if task_set.split != TaskSet.Split.DEV:
        raise NotActivatable("a test set is activated by two people; only dev sets open at once")
    if task_set.state in {TaskSet.State.RETIRED, TaskSet.State.RELEASED}:
        raise NotActivatable(f"version {task_set.version} is {task_set.state}; import a new version")
    if task_set.closes_at is not None and task_set.closes_at <= now:
        raise NotActivatable(f"version {task_set.version} closed on {task_set.closes_at:%Y-%m-%d}")


class NotActivatable(Exception):
    """The set may not be opened this way."""


@transaction.atomic
def revise_rubric(*, task: Task, spec: TaskSpec, now: dt.datetime) -> Rubric:
    """Add a corrected rubric to a task; submissions must be re-judged to feel it.

    Re-judging asks again only what changed: all other verdicts are found by their keys.
    """
    Task.objects.select_for_update(no_key=True).get(pk=task.pk)  # of two revisions the second sees the first
    latest = Rubric.objects.filter(task=task).order_by("-revision").first()
    if latest is not None and latest.content_hash == spec.rubric_hash:
        return latest
    return Rubric.objects.create(
        task=task,
        revision=latest.revision + 1 if latest else 1,
        source=dict(spec.rubric),
        ready=spec.ready,
        content_hash=spec.rubric_hash,
        created_at=now,
    )
