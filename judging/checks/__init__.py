"""Deciding checks: votes, cited pages, references, groups that share a call; and what a check's key is made of.

Whatever a check needs of the judge goes through the :class:`~judging.desk.Desk`, which remembers.
"""

from judging.checks.extractions import read_answer, read_page, unread_classes
from judging.checks.leaves import decide_leaves
from judging.checks.statements import Asked, Stated, decide_criteria, decide_statements

__all__ = [
    "Asked",
    "Stated",
    "decide_criteria",
    "decide_leaves",
    "decide_statements",
    "read_answer",
    "read_page",
    "unread_classes",
]
