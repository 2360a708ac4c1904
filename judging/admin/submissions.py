"""Submissions as judging sees them: judged again, or resumed after a pause."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from judging.admin.progress import progress_shown
from judging.admin.studies import Picks
from judging.rounds import rejudge
from submissions.admin import SubmissionAdmin
from submissions.driving import resume
from submissions.models import Submission
from submissions.models.submission import IllegalTransition

admin.site.unregister(Submission)


@admin.register(Submission)
class JudgedSubmissionAdmin(SubmissionAdmin, Picks):
    """The same page, with what a judge operator may set going."""

    actions = ("judge_again", "resume_paused", "label_study")
    readonly_fields = ("judging",)

    def get_fields(self, request: HttpRequest, obj: Submission | None = None) -> Any:
        """How far its judging is comes first, for those who may look at runs."""
        names = [name for name in super().get_fields(request, obj) if name != "judging"]
        return ["judging", *names] if request.user.has_perm("judging.view_judgerun") else names

    @admin.display(description="judging")
    def judging(self, submission: Submission) -> SafeString | str:
        """The newest round: how far it is, exactly."""
        run = submission.judge_runs.select_related("profile", "submission").order_by("-round").first()
        return progress_shown(run) if run else "not begun"

    def has_judge_permission(self, request: HttpRequest) -> bool:
        """Whether this person may have the judge work, which may cost money."""
        return request.user.has_perm("judging.add_judgerun")

    @admin.action(
        description="Judge the selected submissions again (only what is not settled)", permissions=["judge"]
    )
    def judge_again(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """A new round for each that has been judged."""
        now = timezone.now()
        for submission in queryset:
            try:
                number = rejudge(submission, actor=f"user:{request.user.pk}", now=now)
            except IllegalTransition:
                self.message_user(
                    request,
                    f"Submission {submission} is {submission.state}: not judged again.",
                    messages.ERROR,
                )
            else:
                self.message_user(request, f"Submission {submission}: round {number} begins.")

    @admin.action(description="Resume the selected paused submissions", permissions=["judge"])
    def resume_paused(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        """Go on where the pause began."""
        now = timezone.now()
        for submission in queryset:
            try:
                jobs = resume(submission, actor=f"user:{request.user.pk}", now=now)
            except IllegalTransition:
                self.message_user(
                    request,
                    f"Submission {submission} is {submission.state}: nothing to resume.",
                    messages.ERROR,
                )
            else:
                self.message_user(request, f"Submission {submission}: {jobs} jobs go on.")
