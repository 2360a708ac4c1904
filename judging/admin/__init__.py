"""What staff see of judging and do about it. Django's admin registers what it finds here."""

from judging.admin import calibrations, pages, runs, searches, submissions, tasksets

__all__ = ["calibrations", "pages", "runs", "searches", "submissions", "tasksets"]
