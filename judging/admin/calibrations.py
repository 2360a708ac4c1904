"""How far judges agree with people: every calibration with its report."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from judging.admin.looks import Look, as_json, as_text
from judging.calibration.telling import told
from judging.models import Calibration


@admin.register(Calibration)
class CalibrationAdmin(Look):
    """Calibrations, the newest first. Made by ``manage.py calibrate`` alone."""

    list_display = ("id", "profile", "protocol", "labels", "passed", "actor", "created_at")
    list_select_related = ("profile",)
    list_filter = ("passed", "protocol")
    heavy = ("report",)
    fields = (
        "profile",
        "protocol",
        "labels",
        "labels_sha256",
        "passed",
        "actor",
        "created_at",
        "shown",
        "data",
    )
    readonly_fields = ("shown", "data")

    @admin.display(description="report")
    def shown(self, row: Calibration) -> SafeString:
        """The report as the command printed it; its names are words of those who labelled."""
        return as_text(told(row.report))

    @admin.display(description="as data")
    def data(self, row: Calibration) -> SafeString:
        """Every figure."""
        return as_json(row.report)
