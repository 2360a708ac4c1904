"""The published JSON Schema (draft 2020-12) of a task set's files.

It describes their shape; what the shape cannot say (names in templates, gates, unique ids) is checked
afterwards. ``title`` of a subschema is how its values are named in faults.
"""

from __future__ import annotations

import copy
from typing import Any

from judging.cascade import Importance
from judging.scoring import ErrorClass
from judging.tree import Mode

__all__ = [
    "CASCADE",
    "DEFINITIONS",
    "ERROR_CLASSES",
    "MAX_COUNT",
    "MAX_EXPRESSION",
    "MAX_TEMPLATE",
    "PRIVATE_KEYS",
    "PROTOCOLS",
    "TREE",
    "rubric_schema",
]

TREE = "rubric_tree"
CASCADE = "cascade"
PROTOCOLS = (TREE, CASCADE)
PRIVATE_KEYS = {TREE: ("truth", "extract", "tree"), CASCADE: ("subtasks",)}
ERROR_CLASSES = tuple(error.value for error in ErrorClass)
MAX_COUNT = 100  # slots of one for_each
MAX_EXPRESSION = 2_000  # characters
MAX_TEMPLATE = 4_000  # characters

Schema = dict[str, Any]


def _text(title: str, longest: int, **more: Any) -> Schema:
    return {"type": "string", "title": title, "pattern": r"\S", "maxLength": longest, **more}


def _line(title: str, longest: int, **more: Any) -> Schema:
    return {"type": "string", "title": title, "pattern": r"^\S(?:[^\n\r]*\S)?$", "maxLength": longest, **more}


def _named(title: str, pattern: str, longest: int = 64, **more: Any) -> Schema:
    return {"type": "string", "title": title, "pattern": pattern, "maxLength": longest, **more}


def _strict(properties: Schema, required: tuple[str, ...] = (), **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _many(items: Schema, longest: int, **more: Any) -> Schema:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": longest, **more}


_EXPRESSION = _text("an expression", MAX_EXPRESSION)
_TEMPLATE = _text("a template", MAX_TEMPLATE)
_NAME = _named(
    "a name of letters, digits and underscores that begins with a letter", r"^[A-Za-z][A-Za-z0-9_]*$", 40
)
_ID = _named(
    "an id of letters, digits, '_', '-' and '.' that begins with a letter or digit",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
)
_DATE = {
    "type": "string",
    "title": "a day of the calendar, written like 2026-11-30",
    "format": "date",
}
_URL = _named("a URL that begins with http:// or https://", r"^https?://[^\s/?#][^\s]*$", 2_000)
_VOTES = {
    "enum": [1, 3, 5, 7, 9],
    "title": "an odd number of votes from 1 to 9",
    "description": "Left out: as many as the judge profile asks.",
}
_EVIDENCE = {
    "enum": ["cited", "reference", "search"],
    "description": "Search counts where the installation searches (docs/search.md); else the others decide.",
}
_ERROR = {"enum": list(ERROR_CLASSES), "description": "Error class of the leaf when the expression is false."}

_TASKSET = _strict(
    {
        "slug": _named(
            "a slug of lower-case letters and digits joined by hyphens that begins with a letter",
            r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$",
            60,
            minLength=2,
        ),
        "version": _named(
            'a version in quotes like "1.0", numbers joined by dots',
            r"^[0-9]{1,8}(?:[.-][0-9A-Za-z]{1,16}){0,4}$",
            20,
        ),
        "title": _line("a title of one line", 200),
        "protocol": {"enum": list(PROTOCOLS)},
        "split": {"enum": ["dev", "test"]},
        "delivery": {"enum": ["open", "sealed"], "description": "Left out: open on dev, sealed on test."},
        "delivery_reason": _text(
            "a reason", 1_000, description="Why a test set hands its prompts out. Shown to everyone."
        ),
        "runs": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1},
        "licence": _line("a licence of one line", 100),
        "profile": {"type": "object", "description": "Scoring constants that depart from cascade/1."},
        "as_of": {**_DATE, "description": "The day the references were true."},
        "description": _text("a description", 4_000),
    },
    ("slug", "version", "title", "protocol", "split", "licence"),
)

_COMMON: Schema = {
    "prompt": _text("a prompt", 20_000, description="What the team is asked; the only text it sees."),
    "position": {"type": "integer", "minimum": 1, "maximum": 100_000},
    "domain": _line("a domain of one line", 60),
    "subdomain": _line("a subdomain of one line", 60),
    "task_type": {"enum": ["retrieval", "analysis"]},
    "time_varying": {"type": "boolean", "default": False},
    "language": _named(
        "a language tag like en or pt-BR", r"^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", 20, default="en"
    ),
    "effort_minutes": {"type": "integer", "minimum": 1, "maximum": 100_000},
    "subset": {**_many(_line("a subset of one line", 80), 20), "uniqueItems": True},
    "cluster": _line("a cluster of one line", 100),
    "valid_until": _DATE,
}

_EXTRACTION = _strict(
    {
        "instruction": _text("an instruction", MAX_TEMPLATE),
        "schema": {"type": "object"},
        "from_url": {**_EXPRESSION, "description": "Read the page at this URL instead of the answer."},
    },
    ("instruction", "schema"),
)

_FOR_EACH = _strict(
    {
        "in": _EXPRESSION,
        "as": _NAME,
        "count": {"type": "integer", "minimum": 1, "maximum": MAX_COUNT},
    },
    ("in", "as"),
)

_NODE = _strict(
    {
        "id": _text("an id", 200),
        "description": _TEMPLATE,
        "critical": {"type": "boolean", "default": False},
        "mode": {"enum": [mode.value for mode in Mode], "default": Mode.PARALLEL.value},
        "children": _many({"$ref": "#/$defs/node"}, 200),
        "for_each": _FOR_EACH,
        "node": {"$ref": "#/$defs/node"},
        "assert": _EXPRESSION,
        "error": _ERROR,
        "claim": _TEMPLATE,
        "evidence": {"enum": ["none"]},
        "sources": _EXPRESSION,
        "additional": _TEMPLATE,
        "votes": _VOTES,
        "screenshot": {"enum": ["auto", "never", "always"], "default": "never"},
        "extract": _strict(
            {"as": _NAME, "instruction": _text("an instruction", MAX_TEMPLATE), "schema": {"type": "object"}},
            ("as", "instruction", "schema"),
        ),
        "from_url": _EXPRESSION,
    },
    oneOf=[{"required": [kind]} for kind in ("children", "for_each", "claim", "assert")],
    dependentRequired={
        "for_each": ["node"],
        "node": ["for_each"],
        "evidence": ["claim"],
        "sources": ["claim"],
        "additional": ["claim"],
        "votes": ["claim"],
        "screenshot": ["claim"],
        "error": ["assert"],
        "extract": ["from_url", "assert"],
        "from_url": ["extract"],
    },
    dependentSchemas={
        "claim": {"oneOf": [{"required": ["evidence"]}, {"required": ["sources"]}]},
        "mode": {"anyOf": [{"required": ["children"]}, {"required": ["for_each"]}]},
    },
)

_CRITERION = _strict(
    {
        "id": _ID,
        "criterion": _text("a criterion", 2_000),
        "additional": _text("a text", 2_000),
        "votes": _VOTES,
    },
    ("id", "criterion"),
)

_FACTUALITY = _strict(
    {
        "id": _ID,
        "criterion": _text("a criterion", 2_000),
        "claims": {
            "oneOf": [{"const": "auto"}, _many(_text("a claim", 2_000), 100)],
            "default": "auto",
            "title": "auto, or a list of claims",
        },
        "evidence": {**_many(_EVIDENCE, 3), "uniqueItems": True},
        "references": {**_many(_URL, 50), "uniqueItems": True},
    },
    ("id",),
)

_SUBTASK = _strict(
    {
        "id": _ID,
        "title": _line("a title of one line", 200),
        "importance": {"enum": [importance.value for importance in Importance]},
        "instruction": _many({"$ref": "#/$defs/criterion"}, 100),
        "factuality": _many({"$ref": "#/$defs/factuality"}, 100),
        "rationality": _many({"$ref": "#/$defs/criterion"}, 100),
    },
    ("id", "importance"),
    anyOf=[{"required": [dimension]} for dimension in ("instruction", "factuality", "rationality")],
)

_PRIVATE: dict[str, Schema] = {
    TREE: {
        "truth": {"description": "Hidden reference values for templates: any JSON value."},
        "extract": {
            "type": "object",
            "propertyNames": _NAME,
            "additionalProperties": {"$ref": "#/$defs/extraction"},
        },
        "tree": {"$ref": "#/$defs/root", "title": "the tree of nodes"},
    },
    CASCADE: {"subtasks": _many({"$ref": "#/$defs/subtask"}, 100)},
}
_REQUIRED = {TREE: ("tree",), CASCADE: ("subtasks",)}

DEFINITIONS: Schema = {
    "taskset": _TASKSET,
    **{
        f"{name}_task": _strict({**_COMMON, **_PRIVATE[name]}, ("prompt", *_REQUIRED[name]))
        for name in PROTOCOLS
    },
    **{f"{name}_rubric": _strict(_PRIVATE[name], _REQUIRED[name]) for name in PROTOCOLS},
    "extraction": _EXTRACTION,
    "root": _NODE,
    "node": {**_NODE, "required": ["id"]},
    "subtask": _SUBTASK,
    "criterion": _CRITERION,
    "factuality": _FACTUALITY,
}


def rubric_schema() -> dict[str, Any]:
    """The schema of ``taskset.yaml`` and of a task file of either protocol, as a fresh document."""
    files = ("taskset", "rubric_tree_task", "cascade_task")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:evalservice:task-set:1",
        "title": "Task set of the evaluation service",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in files],
        "$defs": copy.deepcopy(DEFINITIONS),
    }
