"""Score of a task by subtasks: instruction following gates factuality and rationality.

After DailyReport (arXiv 2606.12871), whose equations are not public in a form we could read: profile
``cascade/1`` follows what is known and is not fitted, so its figures are not comparable with the
paper's. Every constant is a field of :class:`ScoringProfile`.
"""

from judging.cascade.findings import (
    Dimension,
    Factuality,
    Finding,
    Importance,
    MalformedCascade,
    Subtask,
    cascade_faults,
)
from judging.cascade.profile import DEFAULT_PROFILE, Average, Combine, InvalidProfile, ScoringProfile
from judging.cascade.scores import Band, CascadeScore, SubtaskScore, reached_dimensions, score_cascade

__all__ = [
    "DEFAULT_PROFILE",
    "Average",
    "Band",
    "CascadeScore",
    "Combine",
    "Dimension",
    "Factuality",
    "Finding",
    "Importance",
    "InvalidProfile",
    "MalformedCascade",
    "ScoringProfile",
    "Subtask",
    "SubtaskScore",
    "cascade_faults",
    "reached_dimensions",
    "score_cascade",
]
