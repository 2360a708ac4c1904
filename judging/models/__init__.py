"""How answers become scores: rubrics, pages, judges, verdicts. Private: nothing here has a public URL."""

from judging.models.calibration import Calibration
from judging.models.labels import Adjudication, Label, LabelStudy, StudyAnswer, StudyNode, StudyOpening
from judging.models.limits import Endpoint, Seat, Spending
from judging.models.pages import CitedPage, Page, PageHost, PageSnapshot
from judging.models.rubrics import Rubric
from judging.models.runs import Extraction, JudgeProfile, JudgeRun, ModelCall, Verdict
from judging.models.search import SearchReply, SubmissionSearch

__all__ = [
    "Adjudication",
    "Calibration",
    "CitedPage",
    "Endpoint",
    "Extraction",
    "JudgeProfile",
    "JudgeRun",
    "Label",
    "LabelStudy",
    "ModelCall",
    "Page",
    "PageHost",
    "PageSnapshot",
    "Rubric",
    "SearchReply",
    "Seat",
    "Spending",
    "StudyAnswer",
    "StudyNode",
    "StudyOpening",
    "SubmissionSearch",
    "Verdict",
]
