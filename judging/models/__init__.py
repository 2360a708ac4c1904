"""How answers become scores: rubrics, pages, judges, verdicts. Private: nothing here has a public URL."""

from judging.models.calibration import Calibration
from judging.models.limits import Endpoint, Seat, Spending
from judging.models.pages import CitedPage, Page, PageHost, PageSnapshot
from judging.models.rubrics import Rubric
from judging.models.runs import Extraction, JudgeProfile, JudgeRun, ModelCall, Verdict
from judging.models.search import SearchReply, SubmissionSearch

__all__ = [
    "Calibration",
    "CitedPage",
    "Endpoint",
    "Extraction",
    "JudgeProfile",
    "JudgeRun",
    "ModelCall",
    "Page",
    "PageHost",
    "PageSnapshot",
    "Rubric",
    "SearchReply",
    "Seat",
    "Spending",
    "SubmissionSearch",
    "Verdict",
]
