"""What staff see and do. Texts of teams pass through Django's escaping alone; prompts appear on no list page."""

from submissions.admin import teams, work
from submissions.admin.looks import Readable, ReadOnly, as_json, as_text
from submissions.admin.work import AnswerAdmin, SubmissionAdmin, TaskSetAdmin
from submissions.queue.admin import close as close_queue_pages

close_queue_pages()

__all__ = [
    "AnswerAdmin",
    "ReadOnly",
    "Readable",
    "SubmissionAdmin",
    "TaskSetAdmin",
    "as_json",
    "as_text",
    "teams",
    "work",
]
