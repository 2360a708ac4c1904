"""Asking the judge of a study what its rounds left out. What it says stays in the study: no score rests on it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence

from judging.amounts import counted
from judging.apart import asking_apart
from judging.desk import Desk, Nowhere, settle
from judging.labelling.studies import Opened, fill, opened_runs
from judging.models import LabelStudy
from judging.pipeline import judge_answer

__all__ = ["judge_study"]


def judge_study(study: LabelStudy, *, clock: Callable[[], dt.datetime], tell: Callable[[str], None]) -> None:
    """Ask every check that has no verdict, each answer once; each round by its own profile and, if one was pinned, its own model.

    :param clock: read after each round, which may take minutes.
    :param tell: called with a line for each round once it is done and kept.
    :raises judging.judges.base.JudgeUnavailable: the judge answers nothing; the rounds before are kept.
    :raises judging.apart.BudgetUsedUp: judging has cost today what it may cost; the rounds before are kept.
    """
    for opened in opened_runs(study):
        asyncio.run(_judge(opened))
        fill(study, opened, opened.memory)
        study.answers.filter(answer__in=opened.answers).update(asked_at=clock())
        tell(f"{opened.run}: {counted(len(opened.answers), 'answer')}{_left_out(opened.broken)}")


def _left_out(tasks: Sequence[str]) -> str:
    return f"; left out, the rubric is no longer valid: {', '.join(tasks)}" if tasks else ""


async def _judge(opened: Opened) -> None:
    async with asking_apart(opened.run.profile, pinned=opened.run.model_served) as apart:
        desk = Desk(opened.memory, apart.judge, Nowhere(), apart.slots, apart.stopping)
        await settle(judge_answer(work, opened.case, desk) for work in opened.works)
