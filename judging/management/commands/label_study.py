"""``manage.py label_study``: ask what the judge left out of a study, or write its labels to a file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.labelling.asking import judge_study
from judging.labelling.comparing import compared
from judging.labelling.exporting import exported
from judging.management.cut_short import told_if_cut_short
from judging.models import LabelStudy, StudyNode


class Command(BaseCommand):
    """Studies are made, labelled and compared in the admin."""

    help = (
        "A label study, by its number or name: ask the judge what its rounds left out, or export the labels."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do with which study."""
        actions = parser.add_subparsers(dest="action", required=True)
        judge = actions.add_parser("judge", help="ask every check that has no verdict; no score changes")
        judge.add_argument("study", metavar="STUDY", help="number or name")
        export = actions.add_parser("export", help="write the labels as manage.py calibrate reads them")
        export.add_argument("study", metavar="STUDY", help="number or name")
        export.add_argument("file", metavar="FILE", type=Path, help="is overwritten")

    def handle(self, *_args: Any, action: str, study: str, **options: Any) -> None:
        """Do it.

        :raises CommandError: no such study, no answer from the judge, no budget left, or the file cannot be written.
        """
        found = _named(study)
        if action == "judge":
            self._judge(found)
        else:
            self._export(found, options["file"])

    def _judge(self, study: LabelStudy) -> None:
        with told_if_cut_short(str(study)):
            judge_study(study, tell=self.stderr.write)
        open_ = StudyNode.objects.filter(of__study=study, finding="").count()
        checks = StudyNode.objects.filter(of__study=study).count()
        self.stdout.write(f"{study}: {checks} checks, {open_} without a verdict")

    def _export(self, study: LabelStudy, file: Path) -> None:
        lines = list(exported(compared(study)))
        try:
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        self.stdout.write(f"{study}: {len(lines)} labels")


def _named(name: str) -> LabelStudy:
    found = LabelStudy.objects.filter(name=name).first()
    if found is None and name.isdecimal() and len(name) < 19:
        found = LabelStudy.objects.filter(pk=int(name)).first()
    if found is None:
        raise CommandError(f"No study {name}.")
    return found
