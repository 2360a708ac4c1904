"""Task sets and rubrics: read, checked, and unrolled for one answer. Pure: no Django, no I/O, no clock.

>>> reading = read_bundle(files)            # an import: all of it, or every fault
>>> rubric = parse_rubric(task.rubric, bundle.protocol)
>>> plan = expand(rubric, task=prompt, answer=text, extracted=data, failed=frozenset())
"""

from __future__ import annotations

from judging.rubric.addresses import named_urls
from judging.rubric.bundle import MANIFEST, read_bundle
from judging.rubric.expand import expand, extraction_url
from judging.rubric.faults import Fault, InvalidRubric, Severity
from judging.rubric.parse import check_stored, parse_rubric, rubric_of
from judging.rubric.plan import Assertion, Check, Claim, Decision, PageExtraction, Plan, Unknown
from judging.rubric.schema import rubric_schema
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
from judging.rubric.starter import STARTER_ANSWER, bundle_template

__all__ = [
    "MANIFEST",
    "STARTER_ANSWER",
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
    "check_stored",
    "expand",
    "extraction_url",
    "named_urls",
    "parse_rubric",
    "read_bundle",
    "rubric_of",
    "rubric_schema",
]
