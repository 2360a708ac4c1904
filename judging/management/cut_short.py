"""What a command says if its asking ends before everything was answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from judging.apart import BudgetUsedUp
from judging.judges.base import JudgeUnavailable

__all__ = ["told_if_cut_short"]


@contextmanager
def told_if_cut_short(asked: object) -> Iterator[None]:
    """Turn the end of an asking into a sentence.

    :param asked: what the sentence calls the one who was asked.
    :raises CommandError: the judge does not answer, the day's budget is used up, or somebody interrupted.
    """
    try:
        yield
    except JudgeUnavailable as error:
        raise CommandError(f"{asked} does not answer: {error}") from error
    except BudgetUsedUp as error:
        raise CommandError("Judging has cost today what it may cost; go on tomorrow (UTC).") from error
    except KeyboardInterrupt:
        raise CommandError("Interrupted.", returncode=130) from None
