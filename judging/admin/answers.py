"""Answers as judging sees them: some of them can be labelled by people."""

from __future__ import annotations

from django.contrib import admin

from judging.admin.studies import Picks
from submissions.admin import AnswerAdmin
from submissions.models import Answer

admin.site.unregister(Answer)


@admin.register(Answer)
class LabelledAnswerAdmin(AnswerAdmin, Picks):
    """The same pages, with the action that makes a label study."""

    actions = ("label_study",)
