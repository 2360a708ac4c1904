"""How far a round is, as staff read it on the pages of a run and of a submission."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judging.amounts import counted
from judging.models import JudgeRun
from judging.progress import Budget, Progress, progress_of

NAMES = {"submission": "spent on this submission", "day": "spent today, on all"}


def progress_shown(run: JudgeRun) -> SafeString:
    """The state of a round now, with a link that looks again."""
    found = progress_of(run, now=timezone.now())
    facts = format_html_join("", "<div><dt>{}</dt><dd>{}</dd></div>", _facts(run, found))
    again = SafeString("") if found.finished else SafeString('<p><a href="">Look again</a></p>')
    return format_html('<div class="judged"><dl class="facts">{}</dl>{}</div>', facts, again)


def _facts(run: JudgeRun, found: Progress) -> Iterator[tuple[str, str | SafeString]]:
    address = reverse("admin:judging_judgerun_change", args=[run.pk])
    yield "round", format_html('<a href="{}">{}</a>', address, run.round)
    yield "answers done", f"{found.done:,} of {found.answers:,}"
    yield "answers begun", f"{found.begun:,}"
    yield "checks decided", _checks(found)
    if found.paused:
        yield "paused", found.paused
    if not found.finished:
        yield "checks a minute", "–" if found.per_minute is None else f"{found.per_minute:,.1f}"
        yield "about time left", _left(found.minutes_left)
        yield "calls in flight", f"{found.in_flight:,}, at the endpoint in all {found.endpoint:,}"
    for budget in found.budgets:
        if budget.usd_limit or budget.tokens_limit:
            yield NAMES[budget.name], _spent(budget)


def _checks(found: Progress) -> str:
    if found.finished or found.expected is None:
        return f"{found.checks:,}"
    return f"{found.checks:,} of about {found.expected:,}"


def _left(minutes: float | None) -> str:
    if minutes is None:
        return "not known"
    return "below a minute" if minutes < 1 else counted(round(minutes), "minute")


def _spent(budget: Budget) -> str:
    usd = f"${budget.usd:,.2f} of ${budget.usd_limit:,.2f}" if budget.usd_limit else ""
    tokens = f"{budget.tokens:,} of {budget.tokens_limit:,} tokens" if budget.tokens_limit else ""
    return ", ".join(filter(None, [usd, tokens]))
