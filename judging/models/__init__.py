"""How answers become scores: rubrics, pages, judges, verdicts. Private: nothing here has a public URL."""

from judging.models.pages import CitedPage, Page, PageHost, PageSnapshot
from judging.models.rubrics import Rubric
from judging.models.runs import Extraction, JudgeProfile, JudgeRun, ModelCall, Verdict

__all__ = [
    "CitedPage",
    "Extraction",
    "JudgeProfile",
    "JudgeRun",
    "ModelCall",
    "Page",
    "PageHost",
    "PageSnapshot",
    "Rubric",
    "Verdict",
]
