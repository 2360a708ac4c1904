"""Properties that hold whatever an author or a team writes."""

from __future__ import annotations

import copy
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from judging.rubric import expand, parse_rubric, read_bundle
from judging.rubric.schema import DEFINITIONS
from judging.tree import tree_faults
from tests.unit.judging.rubric.sets import CASCADE_TASK, MANIFEST, bundle_files, dump, tree_task, with_people

WORDS = sorted(
    {key for definition in DEFINITIONS.values() for key in definition.get("properties", {})}
    | {"auto", "P0", "none", "sequential", "rubric_tree", "cascade", "dev", "test", "open", "{{ loop.index }}", "a.name",
       "found.people", "{{", "x", "", "2026-01-01", "1.0", "in", "as", "count", "type", "$ref", "#", "properties"}
)  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(WORDS) | st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=10,
)
WHOLE: list[dict[str, Any]] = [
    tree_task(),
    with_people(
        {"id": "x_{{ loop.index }}", "critical": True, "assert": "a.name", "error": "incomplete.partial"},
        {"id": "y_{{ loop.index }}", "claim": "{{ a.name }}", "sources": "a.sources", "votes": 3},
        {"id": "z_{{ loop.index }}", "extract": {"as": "page", "instruction": "x", "schema": {"type": "object"}},
         "from_url": "a.sources | first", "assert": "page.year == truth[0]"},
        truth=[1815],
    ),
    CASCADE_TASK,
]  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within some data."""
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for step, part in steps for place in places(part, (*path, step)))]


def replaced(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value at one place."""
    if not path:
        return value
    whole = copy.deepcopy(data)
    part = whole
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return whole


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> Any:
    """Something whole with one to three values replaced."""
    for _ in range(draw(st.integers(1, 3))):
        whole = replaced(whole, draw(st.sampled_from(places(whole))), draw(VALUES))
    return whole


@given(damaged(MANIFEST), st.sampled_from(WHOLE).flatmap(damaged))
def test_a_damaged_set_is_read_whole_or_refused_with_reasons(manifest: Any, task: Any) -> None:
    reading = read_bundle({"taskset.yaml": dump(manifest), "tasks/a.yaml": dump(task)})
    assert (reading.bundle is None) == bool(reading.faults)
    assert all(fault.file and fault.reason and "\n" not in str(fault) for fault in reading.faults)


@given(st.sampled_from(WHOLE).flatmap(damaged))
def test_a_task_that_is_accepted_can_be_judged(task: Any) -> None:
    cascade = isinstance(task, dict) and "subtasks" in task
    protocol = "cascade" if cascade else "rubric_tree"
    reading = read_bundle(
        {"taskset.yaml": dump({**MANIFEST, "protocol": protocol}), "tasks/a.yaml": dump(task)}
    )
    if reading.bundle is None:
        return
    rubric = parse_rubric(reading.bundle.tasks[0].rubric, protocol)
    if not cascade:
        found = {"found": {"people": [{"name": 5, "sources": "x"}, None]}}
        plan = expand(rubric, task="", answer="", extracted=found, failed=frozenset())  # type: ignore[arg-type]  # a tree: no cascade
        assert tree_faults(plan.root) == []
        assert plan.checks


@given(
    st.dictionaries(
        st.sampled_from(["taskset.yaml", "tasks/a.yaml", "tasks/b.yml", "x", "tasks/²/1"]),
        st.binary(max_size=60),
    )
)
def test_no_bytes_raise(files: dict[str, bytes]) -> None:
    assert read_bundle(files).faults


@given(st.dictionaries(st.text(max_size=20), st.just(b"a: 1")))
def test_no_names_raise(files: dict[str, bytes]) -> None:
    assert read_bundle(files).bundle is None


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_hashes_do_not_depend_on_the_order_of_keys_and_files(rng: random.Random) -> None:
    def shuffled(data: Any) -> Any:
        if isinstance(data, dict):
            items = [(key, shuffled(value)) for key, value in data.items()]
            rng.shuffle(items)
            return dict(items)
        return [shuffled(value) for value in data] if isinstance(data, list) else data

    tasks = WHOLE[:2]
    files = bundle_files(*(shuffled(task) for task in tasks), **shuffled(MANIFEST))
    names = list(files)
    rng.shuffle(names)
    first, second = (
        read_bundle(bundle_files(*tasks)).bundle,
        read_bundle({name: files[name] for name in names}).bundle,
    )
    assert first is not None
    assert second is not None
    assert first.content_hash == second.content_hash
    assert [task.rubric_hash for task in first.tasks] == [task.rubric_hash for task in second.tasks]
