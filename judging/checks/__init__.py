"""Deciding single checks: votes, cited pages, references; and what a check's key is made of.

Whatever a check needs of the judge goes through the :class:`~judging.desk.Desk`, which remembers.
"""

from judging.checks.extractions import read_answer, read_page, unread_classes
from judging.checks.leaves import decide_leaf
from judging.checks.statements import decide_criterion, decide_statement

__all__ = [
    "decide_criterion",
    "decide_leaf",
    "decide_statement",
    "read_answer",
    "read_page",
    "unread_classes",
]
