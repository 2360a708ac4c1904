"""Task sets for the tests, small and whole."""

from __future__ import annotations

import textwrap
from typing import Any

import yaml

from judging.rubric import BundleReading, Plan, TreeRubric, expand, parse_rubric, read_bundle

MANIFEST: dict[str, Any] = {
    "slug": "small-set",
    "version": "1.0",
    "title": "A small set",
    "protocol": "rubric_tree",
    "split": "dev",
    "licence": "CC0-1.0",
}
PEOPLE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "born": {"type": "integer"},
                    "sources": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    },
}
LEAF: dict[str, Any] = {"id": "leaf", "critical": True, "claim": "Water is wet", "evidence": "none"}
CASCADE_TASK: dict[str, Any] = {
    "prompt": "Which?",
    "subtasks": [
        {
            "id": "list",
            "importance": "P0",
            "instruction": [{"id": "complete", "criterion": "Names all three"}],
        }
    ],
}


def tree_task(tree: Any = None, **more: Any) -> dict[str, Any]:
    """A tree task, around one leaf if no tree is given."""
    return {"prompt": "Who?", "tree": {"children": [LEAF]} if tree is None else tree, **more}


def with_people(*children: Any, count: int | None = 2, **more: Any) -> dict[str, Any]:
    """A tree task whose children stand in a loop over people."""
    loop = {"in": "found.people", "as": "a"} | ({} if count is None else {"count": count})
    node = {"id": "person_{{ loop.index }}", "children": list(children)}
    extract = {"found": {"instruction": "People", "schema": PEOPLE}}
    return tree_task({"for_each": loop, "node": node}, extract=extract, **more)


def bundle_files(*tasks: Any, **manifest: Any) -> dict[str, bytes]:
    """The files of a set with these tasks; a manifest key given as None is left out."""
    whole = {key: value for key, value in {**MANIFEST, **manifest}.items() if value is not None}
    files = {"taskset.yaml": dump(whole)}
    for number, task in enumerate(tasks or [tree_task()], start=1):
        files[f"tasks/t{number}.yaml"] = task if isinstance(task, bytes) else dump(task)
    return files


def dump(data: Any) -> bytes:
    """YAML, without aliases."""
    return yaml.dump(data, allow_unicode=True, sort_keys=False, Dumper=_Plain).encode()


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def read(*tasks: Any, **manifest: Any) -> BundleReading:
    """Read a set with these tasks."""
    return read_bundle(bundle_files(*tasks, **manifest))


def faults(*tasks: Any, **manifest: Any) -> list[str]:
    """Its faults as lines; none of them comes with a bundle."""
    reading = read(*tasks, **manifest)
    assert (reading.bundle is None) == bool(reading.faults)
    return [str(fault) for fault in reading.faults]


def warnings(*tasks: Any, **manifest: Any) -> list[str]:
    """The warnings of a set without faults."""
    reading = read(*tasks, **manifest)
    assert reading.faults == ()
    return [str(warning) for warning in reading.warnings]


def tree(task: dict[str, Any]) -> TreeRubric:
    """The rubric of a tree task."""
    private: dict[str, Any] = {key: task[key] for key in ("truth", "extract", "tree") if key in task}
    rubric = parse_rubric(private, "rubric_tree")
    assert isinstance(rubric, TreeRubric)
    return rubric


def plan(
    task: dict[str, Any], failed: frozenset[str] = frozenset(), answer: str = "", **extracted: Any
) -> Plan:
    """A tree task unrolled over what was extracted."""
    return expand(tree(task), task=task["prompt"], answer=answer, extracted=extracted, failed=failed)


def text(source: str) -> bytes:
    """An indented literal as a file."""
    return textwrap.dedent(source).encode()
