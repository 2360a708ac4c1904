"""What staff see of judging and do about it. Django's admin registers what it finds here."""

from judging.admin import answers, calibrations, pages, runs, searches, studies, submissions, tasksets

__all__ = ["answers", "calibrations", "pages", "runs", "searches", "studies", "submissions", "tasksets"]
