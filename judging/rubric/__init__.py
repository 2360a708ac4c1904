"""Task sets and rubrics: read, checked, and unrolled for one answer. Pure: no Django, no I/O, no clock.

>>> reading = read_bundle(files)            # an import: all of it, or every fault
>>> rubric = parse_rubric(task.rubric, bundle.protocol)
>>> plan = expand(rubric, task=prompt, answer=text, extracted=data, failed=frozenset())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.rubric.faults import Fault, InvalidRubric, Severity
from judging.rubric.plan import Assertion, Check, Claim, Decision, PageExtraction, Plan, Unknown
from judging.rubric.spec import (
    AssertSpec,
    Bundle,
    BundleReading,
    CascadeRubric,
    ClaimSpec,
    Criterion,
    Evidence,
    ExtractionSpec,
    FactualitySpec,
    ForEach,
    LeafSpec,
    NodeSpec,
    PageSpec,
    Screenshot,
    SubtaskSpec,
    TaskSpec,
    TreeRubric,
)

__all__ = [
    "AssertSpec",
    "Assertion",
    "Bundle",
    "BundleReading",
    "CascadeRubric",
    "Check",
    "Claim",
    "ClaimSpec",
    "Criterion",
    "Decision",
    "Evidence",
    "ExtractionSpec",
    "FactualitySpec",
    "Fault",
    "ForEach",
    "InvalidRubric",
    "LeafSpec",
    "NodeSpec",
    "PageExtraction",
    "PageSpec",
    "Plan",
    "Screenshot",
    "Severity",
    "SubtaskSpec",
    "TaskSpec",
    "TreeRubric",
    "Unknown",
    "bundle_template",
    "expand",
    "extraction_url",
    "parse_rubric",
    "read_bundle",
    "rubric_schema",
]


def read_bundle(files: Mapping[str, bytes]) -> BundleReading:
    """Read a whole task set: the bundle, or every fault."""
    raise NotImplementedError


def parse_rubric(source: Mapping[str, Any], protocol: str) -> TreeRubric | CascadeRubric:
    """Read a stored rubric again.

    :raises InvalidRubric: with every fault.
    """
    raise NotImplementedError


def extraction_url(
    rubric: TreeRubric, name: str, *, task: str, answer: str, extracted: Mapping[str, Any]
) -> str | None:
    """The page an extraction with ``from_url`` reads, by what was extracted before; None if there is none."""
    raise NotImplementedError


def expand(
    rubric: TreeRubric, *, task: str, answer: str, extracted: Mapping[str, Any], failed: frozenset[str]
) -> Plan:
    """Unroll a rubric tree for one answer."""
    raise NotImplementedError


def rubric_schema() -> dict[str, Any]:
    """The JSON Schema of the bundle's files."""
    raise NotImplementedError


def bundle_template(protocol: str, slug: str) -> dict[str, bytes]:
    """The files of a starter set."""
    raise NotImplementedError
