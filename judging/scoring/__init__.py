"""From the scores of single answers to the figures of a submission. Pure."""

from judging.scoring.errors import (
    HALLUCINATIONS,
    ErrorClass,
    cascade_hallucinated,
    error_class,
    tree_hallucinated,
)
from judging.scoring.passes import NotEnoughRuns, pass_at_k, pass_hat_k
from judging.scoring.results import (
    CascadeResult,
    InvalidResults,
    Reason,
    References,
    Result,
    TreeResult,
    rankable,
)
from judging.scoring.summary import (
    CascadeSummary,
    Summary,
    TreeSummary,
    summarise_cascade,
    summarise_tree,
)

__all__ = [
    "HALLUCINATIONS",
    "CascadeResult",
    "CascadeSummary",
    "ErrorClass",
    "InvalidResults",
    "NotEnoughRuns",
    "Reason",
    "References",
    "Result",
    "Summary",
    "TreeResult",
    "TreeSummary",
    "cascade_hallucinated",
    "error_class",
    "pass_at_k",
    "pass_hat_k",
    "rankable",
    "summarise_cascade",
    "summarise_tree",
    "tree_hallucinated",
]
