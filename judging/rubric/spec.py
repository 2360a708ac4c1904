"""What an author wrote, as frozen data: the task set, its tasks and the rubrics of both protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from judging.cascade import Importance
from judging.rubric.faults import Fault
from judging.tree import Mode

__all__ = [
    "AssertSpec",
    "Bundle",
    "BundleReading",
    "CascadeRubric",
    "ClaimSpec",
    "Criterion",
    "Evidence",
    "ExtractionSpec",
    "FactualitySpec",
    "ForEach",
    "LeafSpec",
    "NodeSpec",
    "PageSpec",
    "Screenshot",
    "SubtaskSpec",
    "TaskSpec",
    "TreeRubric",
]

Screenshot = Literal["auto", "never", "always"]
Evidence = Literal["cited", "reference", "search"]


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task: the public half in named fields, the private half in ``rubric``.

    ``position`` counts from 1 in natural order of the keys. Text fields are empty where the author gave
    none. ``rubric`` is plain JSON, what :func:`judging.rubric.parse_rubric` reads again at judging time;
    ``rubric_hash`` is the SHA-256 of its canonical JSON. ``ready`` is what :func:`judging.rubric.rubric_of`
    reads without checking it again.
    """

    key: str
    prompt: str
    position: int
    domain: str
    subdomain: str
    task_type: str  # "retrieval", "analysis" or ""
    time_varying: bool
    language: str
    effort_minutes: int | None
    subset: tuple[str, ...]
    cluster: str
    valid_until: date | None
    rubric: dict[str, Any]
    rubric_hash: str
    ready: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A whole task set that passed every check.

    ``profile`` holds the scoring constants that depart from the default. ``content_hash`` is the SHA-256
    of the canonical JSON of all files: the same whatever their formatting, key order or file order.
    """

    slug: str
    version: str
    title: str
    protocol: str  # "rubric_tree" or "cascade"
    split: str  # "dev" or "test"
    delivery: str  # "open" or "sealed"
    delivery_reason: str
    runs: int
    licence: str
    profile: dict[str, Any]
    as_of: date | None
    description: str
    tasks: tuple[TaskSpec, ...]
    content_hash: str


@dataclass(frozen=True, slots=True)
class BundleReading:
    """The bundle, or None and the complete list of faults; warnings may come with either."""

    bundle: Bundle | None
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractionSpec:
    """Data to read out of the answer or, with ``from_url`` (an expression), out of the page at that URL."""

    name: str
    instruction: str
    schema: Mapping[str, Any]
    from_url: str | None = None


@dataclass(frozen=True, slots=True)
class ForEach:
    """Repeat a node for ``count`` items of the list ``items`` (an expression), each under ``name``.

    Missing items are padded with empty ones, surplus items are left out. ``count`` is None only where
    the list is the author's own.
    """

    items: str
    name: str
    count: int | None


@dataclass(frozen=True, slots=True)
class AssertSpec:
    """An expression over what was extracted, decided by code; ``error`` names its error class."""

    expression: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimSpec:
    """A statement for the judge; ``sources`` is an expression for the pages that must support it.

    ``sources`` None: judged from task, answer and claim alone. ``votes`` None: as the judge profile says.
    """

    claim: str
    sources: str | None
    additional: str = ""
    votes: int | None = None
    screenshot: Screenshot = "never"


@dataclass(frozen=True, slots=True)
class PageSpec:
    """Read data from one page, then decide an expression over it (under ``name``)."""

    name: str
    instruction: str
    schema: Mapping[str, Any]
    from_url: str
    expression: str
    error: str | None = None


LeafSpec = AssertSpec | ClaimSpec | PageSpec


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node as written. An inner node has ``children`` (one template child with ``for_each``), a leaf ``leaf``.

    ``path`` leads to the node in the author's file.
    """

    id: str
    path: str
    critical: bool = False
    mode: Mode = Mode.PARALLEL
    description: str = ""
    children: tuple[NodeSpec, ...] = ()
    for_each: ForEach | None = None
    leaf: LeafSpec | None = None


@dataclass(frozen=True, slots=True)
class TreeRubric:
    """Rubric of the protocol ``rubric_tree``; ``extractions`` stand in the order they can be made."""

    extractions: tuple[ExtractionSpec, ...]
    tree: NodeSpec
    truth: Any = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One yes-or-no question about a subtask. ``votes`` None: as the judge profile says."""

    id: str
    criterion: str
    additional: str = ""
    votes: int | None = None


@dataclass(frozen=True, slots=True)
class FactualitySpec:
    """Claims to check: those the judge finds in the answer (``claims`` None) or the author's own."""

    id: str
    criterion: str = ""
    claims: tuple[str, ...] | None = None
    evidence: tuple[Evidence, ...] = ("cited",)
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubtaskSpec:
    """A part of the task with its rubrics in the three dimensions; at least one of them is not empty."""

    id: str
    title: str
    importance: Importance
    instruction: tuple[Criterion, ...] = ()
    factuality: tuple[FactualitySpec, ...] = ()
    rationality: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True)
class CascadeRubric:
    """Rubric of the protocol ``cascade``."""

    subtasks: tuple[SubtaskSpec, ...] = field(default=())
