"""``manage.py label_study``: ask what the judge left out of a study, write its labels to a file, or delete it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.amounts import counted
from judging.labelling.asking import judge_study
from judging.labelling.comparing import compared
from judging.labelling.exporting import exported
from judging.labelling.studies import Decided, delete_study
from judging.management.appearing import write_whole
from judging.management.cut_short import told_if_cut_short
from judging.models import LabelStudy, StudyNode

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    """Studies are made, labelled and compared in the admin."""

    help = "A label study, by its number or name: ask the judge what its rounds left out, export the labels, or delete it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do with which study."""
        actions = parser.add_subparsers(dest="action", required=True)
        judge = actions.add_parser("judge", help="ask every check that has no verdict; no score changes")
        judge.add_argument("study", metavar="STUDY", help="number or name")
        export = actions.add_parser("export", help="write the labels as manage.py calibrate reads them")
        export.add_argument("study", metavar="STUDY", help="number or name")
        export.add_argument("file", metavar="FILE", type=Path, help="readable by its owner alone")
        export.add_argument("--force", action="store_true", help="replace a file that is there")
        delete = actions.add_parser("delete", help="delete a study with its labels; no score changes")
        delete.add_argument("study", metavar="STUDY", help="number or name")
        delete.add_argument("--force", action="store_true", help="also one with decisions on differences")

    def handle(self, *_args: Any, action: str, study: str, **options: Any) -> None:
        """Do it.

        :raises CommandError: no such study, no answer from the judge, no budget left, a file that is there or cannot be
            written, or a study with decisions.
        """
        found = _named(study)
        if action == "judge":
            self._judge(found)
        elif action == "export":
            self._export(found, file=options["file"], force=options["force"])
        else:
            self._delete(found, force=options["force"])

    def _judge(self, study: LabelStudy) -> None:
        with told_if_cut_short(str(study)):
            judge_study(study, clock=timezone.now, tell=self.stderr.write)
        open_ = StudyNode.objects.filter(of__study=study, finding="").count()
        checks = StudyNode.objects.filter(of__study=study).count()
        self.stdout.write(f"{study}: {checks} checks, {open_} without a verdict")

    def _export(self, study: LabelStudy, *, file: Path, force: bool) -> None:
        lines = list(exported(compared(study)))
        write_whole(file, (f"{line}\n".encode() for line in lines), force=force)
        log.info("study_exported", study=study.pk, by="command")
        self.stdout.write(f"{study}: {counted(len(lines), 'label')}")

    def _delete(self, study: LabelStudy, *, force: bool) -> None:
        name = str(study)
        try:
            delete_study(study, decided=force)
        except Decided as error:
            raise CommandError(f"{study} has decisions on differences; --force deletes them too.") from error
        log.info("study_deleted", study=int(name.rpartition(" ")[2]), by="command")
        self.stdout.write(f"{name} is deleted")


def _named(name: str) -> LabelStudy:
    found = LabelStudy.objects.filter(name=name).first()
    if found is None and name.isdecimal() and len(name) < 19:
        found = LabelStudy.objects.filter(pk=int(name)).first()
    if found is None:
        raise CommandError(f"No study {name}.")
    return found
