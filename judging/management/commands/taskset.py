"""``manage.py taskset``: begin a task set, find what is wrong with one, try it, take it in, open it, correct it."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.imports import NotActivatable, RefusedBundle, activate, import_taskset, read_whole
from judging.linting import SetReading, read_set
from judging.pages.captures import Capture
from judging.preview import preview, told
from judging.revising import revise
from judging.rubric import MANIFEST, STARTER_ANSWER, Bundle, Fault, TaskSpec, bundle_template
from judging.rubric.schema import PROTOCOLS, TREE
from judging.taskset_files import read_files
from submissions.bundle.text import UndecodableText, clean_text
from submissions.models import TaskSet

LISTED = 200  # faults, and warnings, that are printed; nobody reads more at once


class Command(BaseCommand):
    """One subcommand each; ``new``, ``lint`` and ``preview`` need neither a secret nor a database.

    A further subcommand is an entry in ``SUBCOMMANDS``: what it takes, and what it does.
    """

    help = (
        "Begin a task set (new), check it (lint), try it (preview), take it in (import), open it (activate), "
        "correct a rubric of it (revise)."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """A parser for every subcommand."""
        subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
        for name, (describe, _) in SUBCOMMANDS.items():
            describe(subparsers.add_parser(name))

    def handle(self, *_args: Any, subcommand: str, **options: Any) -> None:
        """Do what the subcommand says."""
        SUBCOMMANDS[subcommand][1](self, options)


def _describe_new(parser: ArgumentParser) -> None:
    parser.description = "Write a small commented task set that passes every check, to begin from."
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that is not there yet, or empty")
    parser.add_argument("--protocol", choices=PROTOCOLS, default=TREE)


def _new(command: BaseCommand, options: dict[str, Any]) -> None:
    folder: Path = options["folder"]
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty; nothing was written")
        for name, content in bundle_template(options["protocol"], _slug(folder)).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror}") from error
    command.stdout.write(f"Wrote {folder}. Edit {MANIFEST} and tasks/, then: manage.py taskset lint {folder}")
    answer = folder / STARTER_ANSWER
    command.stdout.write(
        f"Its pages and answers show how: manage.py taskset preview {folder} --answer {answer}"
    )


def _slug(folder: Path) -> str:
    """The folder's name as a slug."""
    words = re.findall(r"[a-z0-9]+", folder.resolve().name.lower())
    slug = "-".join(words)[:60].strip("-")
    return slug if re.match(r"[a-z].", slug) else f"set-{slug}".strip("-")


def _describe_lint(parser: ArgumentParser) -> None:
    parser.description = (
        "Print every fault of a task set and its pages, one a line; the exit status is 1 if there is any."
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="the set's folder or zip")


def _lint(command: BaseCommand, options: dict[str, Any]) -> None:
    found = read_files(options["path"])
    reading = SetReading(None, (), found.faults, ()) if found.faults else read_set(found.files)
    _list(command, reading.warnings, before="warning: ")
    _list(command, reading.faults)
    if reading.bundle is None:
        raise CommandError(f"{len(reading.faults)} to mend")
    bundle, pages = reading.bundle, f", {len(reading.captures)} pages" if reading.captures else ""
    command.stdout.write(
        f"{bundle.slug} {bundle.version}: {len(bundle.tasks)} tasks, sha256 {bundle.content_hash}{pages}"
    )


def _describe_preview(parser: ArgumentParser) -> None:
    parser.description = (
        "Judge one answer with the offline judge against the set's own pages, and print every verdict."
    )
    parser.add_argument("path", metavar="DIR", type=Path, help="the set's folder or zip")
    parser.add_argument(
        "--answer", metavar="FILE", type=Path, required=True, help="Markdown, as a team hands it in"
    )
    parser.add_argument(
        "--task", metavar="KEY", help="needed where neither the set nor the file's folder tells it"
    )
    parser.add_argument("--judge", choices=["lexical"], default="lexical")


def _preview(command: BaseCommand, options: dict[str, Any]) -> None:
    bundle, pages, _ = _whole(command, options["path"])
    task = _task(bundle, options["task"], options["answer"])
    try:
        answer = clean_text(options["answer"].read_bytes()).text
    except (OSError, UndecodableText) as error:
        raise CommandError(f"{options['answer']}: {error}") from error
    result = preview(bundle=bundle, pages=pages, task=task, answer=answer, now=timezone.now())
    command.stdout.write(f"{task.key}: judged offline by rule; a model may decide otherwise")
    for line in told(result):
        command.stdout.write(line)


def _task(bundle: Bundle, key: str | None, answer: Path) -> TaskSpec:
    """The task named, the set's only one, or the one the answer's folder is called after."""
    tasks = {task.key: task for task in bundle.tasks}
    wanted = key or (next(iter(tasks)) if len(tasks) == 1 else answer.resolve().parent.name)
    if wanted not in tasks:
        raise CommandError(f"Which task? --task is one of {', '.join(tasks)}")
    return tasks[wanted]


def _describe_import(parser: ArgumentParser) -> None:
    parser.description = (
        "Import a task set with its pages: all of it, or every fault, one a line, and nothing."
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="the set's folder or zip")
    parser.add_argument("--activate", action="store_true", help="open it at once (dev sets)")


def _import(command: BaseCommand, options: dict[str, Any]) -> None:
    try:
        found = import_taskset(files=_files(command, options["path"]), now=timezone.now())
    except RefusedBundle as refused:
        raise _told(command, refused.faults) from refused
    _list(command, found.warnings, before="warning: ")
    tasks = found.task_set.tasks.count()
    state = "created" if found.created else "unchanged"
    told = f"{found.task_set}: {state}, {tasks} tasks, {found.pages} pages. {found.note}"
    command.stdout.write(told.strip())
    if options["activate"]:
        _open(command, found.task_set)


def _describe_activate(parser: ArgumentParser) -> None:
    parser.description = "Open a version of a dev set; the version that was open retires at the same instant."
    parser.add_argument("slug", metavar="SLUG")
    parser.add_argument("version", metavar="VERSION")


def _activate(command: BaseCommand, options: dict[str, Any]) -> None:
    task_set = TaskSet.objects.filter(slug=options["slug"], version=options["version"]).first()
    if task_set is None:
        raise CommandError(f"There is no {options['slug']} {options['version']}.")
    _open(command, task_set)


def _open(command: BaseCommand, task_set: TaskSet) -> None:
    try:
        opened = activate(task_set=task_set, now=timezone.now())
    except NotActivatable as error:
        raise CommandError(f"{task_set}: {error}") from error
    command.stdout.write(f"{opened}: active since {opened.opens_at:%Y-%m-%d %H:%M} UTC")


def _describe_revise(parser: ArgumentParser) -> None:
    parser.description = "Correct the rubric of one task of an imported version, out of the whole set with that task corrected."
    parser.add_argument("path", metavar="PATH", type=Path, help="the set's folder or zip")
    parser.add_argument("--task", metavar="KEY", required=True, help="whose rubric is corrected")


def _revise(command: BaseCommand, options: dict[str, Any]) -> None:
    files = _files(command, options["path"])
    try:
        done = revise(files=files, key=options["task"], now=timezone.now())
    except RefusedBundle as refused:
        raise _told(command, refused.faults) from refused
    _list(command, done.warnings, before="warning: ")
    state = "now judged by" if done.created else "unchanged,"
    command.stdout.write(f"{done.task_set} {options['task']}: {state} revision {done.rubric.revision}")
    if done.judged:
        name = f"{done.task_set.slug}/{done.task_set.version}"
        command.stdout.write(
            f"submissions that keep the old rubric until they are judged again: {done.judged}; manage.py rejudge --set {name}"
        )


def _files(command: BaseCommand, path: Path) -> dict[str, bytes]:
    found = read_files(path)
    if found.faults:
        raise _told(command, found.faults)
    return found.files


def _whole(command: BaseCommand, path: Path) -> tuple[Bundle, tuple[Capture, ...], tuple[Fault, ...]]:
    try:
        return read_whole(_files(command, path))
    except RefusedBundle as refused:
        raise _told(command, refused.faults) from refused


def _told(command: BaseCommand, faults: Sequence[Fault]) -> CommandError:
    """The error to raise once the faults are on the screen."""
    _list(command, faults)
    return CommandError(f"{len(faults)} to mend; nothing was done")


def _list(command: BaseCommand, faults: Sequence[Fault], *, before: str = "") -> None:
    for fault in faults[:LISTED]:
        command.stdout.write(f"{before}{fault}")
    if len(faults) > LISTED:
        command.stdout.write(f"{before}… and {len(faults) - LISTED:,} more")


SUBCOMMANDS: dict[
    str, tuple[Callable[[ArgumentParser], None], Callable[[BaseCommand, dict[str, Any]], None]]
] = {
    "new": (_describe_new, _new),
    "lint": (_describe_lint, _lint),
    "preview": (_describe_preview, _preview),
    "import": (_describe_import, _import),
    "activate": (_describe_activate, _activate),
    "revise": (_describe_revise, _revise),
}
