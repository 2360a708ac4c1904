"""``manage.py calibrate PROFILE LABELS``: how far a judge agrees with people, and whether that is enough."""

from __future__ import annotations

import asyncio
import json
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from judging.apart import asking_apart
from judging.calibration.asking import Answered, Asking, ask_all
from judging.calibration.labels import InvalidLabels, LabelSet, read_labels
from judging.calibration.listings import Listed, list_all
from judging.calibration.report import make_report
from judging.calibration.storing import UnknownProfile, named_profile, store
from judging.calibration.telling import told
from judging.desk import Desk, Memory
from judging.management.cut_short import told_if_cut_short
from judging.models import JudgeProfile
from judging.profile_files import InvalidProfile
from judging.profiles import terms_of

Found = tuple[list[tuple[Answered, ...]], list[Listed]]

MOST_RUNS = 20
TOLD = 20  # times that progress is told


class Command(BaseCommand):
    """Asks the judge of a profile what people were asked; nothing is asked before all files are read."""

    help = (
        "Compare the judge of a profile with labels (JSON lines), print every figure and keep it. A profile that passes "
        'loses the mark "uncalibrated"; one that fails later gets it back.'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whom to ask what."""
        parser.add_argument("profile", metavar="PROFILE", help="name, name/version or current")
        parser.add_argument(
            "labels", metavar="LABELS", nargs="+", type=Path, help="files of labels and probes"
        )
        parser.add_argument("--runs", metavar="K", type=_runs, default=1, help="ask everything so many times")
        parser.add_argument("--against", metavar="OTHER", help="another profile to compare with")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        parser.add_argument("--dry-run", action="store_true", help="keep nothing")
        parser.add_argument("--check", action="store_true", help="exit code 1 if it is not good enough")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask, report, keep.

        :raises CommandError: no such profile, faulty labels, no answer from the judge; with --check: it did not pass.
        """
        labels = _read(options["labels"])
        profiles = [options["profile"], *filter(None, [options["against"]])]
        profile, *others = _profiles(profiles, keep=not options["dry_run"])
        began = time.monotonic()
        answers, listed = self._asked(labels, profile, options["runs"])
        seconds = time.monotonic() - began
        other = self._asked(labels, others[0], 1)[0] if others else None
        report: dict[str, Any] = {"profile": str(profile), "content_hash": profile.content_hash}
        report |= make_report(labels, answers, other=other, listed=listed, seconds=seconds)
        if others:
            report["against"]["profile"] = str(others[0])
        if not options["dry_run"]:
            store(profile=profile, report=report, actor="command", now=timezone.now())
        self.stdout.write(json.dumps(report, indent=2) if options["json"] else told(report))
        if options["check"] and not report["passed"]:
            raise CommandError(f"{profile} is not calibrated")

    def _asked(self, labels: LabelSet, profile: JudgeProfile, runs: int) -> Found:
        terms = terms_of(profile)
        asking = Asking(votes=terms.votes, tokens=terms.shown, together=terms.group_claims)
        tell = self._progress(str(profile), len(labels.items) * runs + len(labels.listings))

        async def answers() -> Found:
            async with asking_apart(profile) as apart:
                desk = Desk(Memory(), apart.judge, slots=apart.slots, stopping=apart.stopping)
                found = await ask_all(labels.items, desk=desk, asking=asking, runs=runs, tell=tell)
                return found, await list_all(labels.listings, desk=desk, tell=tell)

        with told_if_cut_short(profile):
            return asyncio.run(answers())

    def _progress(self, name: str, of: int) -> Callable[[], None]:
        """To be called after each answer; a line on stderr now and then."""
        done = 0

        def tell() -> None:
            nonlocal done
            done += 1
            if done * TOLD // of > (done - 1) * TOLD // of:
                self.stderr.write(f"{name}: {done} of {of}")

        return tell


def _runs(text: str) -> int:
    if text.isdecimal() and 1 <= int(text[:9]) <= MOST_RUNS:
        return int(text)
    raise ArgumentTypeError(f"must be 1 to {MOST_RUNS}")


def _read(paths: Sequence[Path]) -> LabelSet:
    try:
        return read_labels({str(path): path.read_bytes() for path in paths})
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from error
    except InvalidLabels as invalid:
        raise CommandError(str(invalid)) from invalid


def _profiles(names: Sequence[str], *, keep: bool) -> list[JudgeProfile]:
    """Their rows; a dry run does not keep that of a configured profile which is new."""
    try:
        with transaction.atomic():
            found = [named_profile(name, now=timezone.now()) for name in names]
            transaction.set_rollback(not keep)
    except UnknownProfile as error:
        raise CommandError(f"No profile {error}.") from error
    except InvalidProfile as invalid:
        raise CommandError("\n".join(map(str, invalid.faults))) from invalid
    return found
