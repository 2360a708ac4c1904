"""The two examples the format was designed on, the starter sets, and the schema that is published."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from judging.rubric import (
    Assertion,
    CascadeRubric,
    Claim,
    TreeRubric,
    bundle_template,
    expand,
    parse_rubric,
    read_bundle,
    rubric_schema,
)
from judging.rubric.schema import DEFINITIONS, ERROR_CLASSES, PROTOCOLS
from judging.scoring import ErrorClass
from tests.unit.judging.rubric.sets import CASCADE_TASK, MANIFEST, bundle_files, text, tree_task

LINEAGE = text(
    """
    prompt: |
      Identify the academic lineage of Prof. Yu Su, five generations upward.
    domain: research
    truth: ["Xifeng Yan", "Jiawei Han", "Larry Travis", "Abraham Robinson", "Paul Dienes"]   # hidden, for templates only
    extract:
      advisors:
        instruction: For each generation, name and sources
        schema: {type: object, properties: {people: {type: array, items: {type: object, properties: {
          name: {type: string}, sources: {type: array, items: {type: string}}}}}}}
    tree:
      mode: sequential
      for_each: {in: "advisors.people", as: a, count: 5}
      node:
        id: "generation_{{ loop.index }}"
        children:
        - {id: given, critical: true, assert: "a.name and a.sources"}
        - {id: name, critical: true, claim: "'{{ a.name }}' and '{{ truth[loop.index0] }}' are the same person", evidence: none}
        - {id: source, critical: true, claim: "{{ a.name }} advised {{ a.previous.name or 'Yu Su' }}", sources: "a.sources"}
    """
)
UNIVERSITIES = text(
    """
    prompt: List the Chinese universities in the top 100 of the ranking, then analyse their strengths
    task_type: analysis   # retrieval | analysis
    subtasks:
      - id: list
        importance: P0
        instruction:
        - id: complete
          criterion: Names every university of China in the top 100
        factuality:
        - id: ranks
          claims: auto           # extract the claims of this subtask
          evidence: [cited, reference]
          references: [https://example.org/ranking]
        rationality:
        - id: reasoning
          criterion: The strengths follow from the facts given
    """
)


def rubric_of(task: bytes, protocol: str) -> TreeRubric | CascadeRubric:
    reading = read_bundle(bundle_files(task, protocol=protocol))
    assert (reading.faults, reading.warnings) == ((), ())
    assert reading.bundle is not None
    return parse_rubric(reading.bundle.tasks[0].rubric, protocol)


def test_the_lineage_example_works_as_it_is_written() -> None:
    rubric = rubric_of(LINEAGE, "rubric_tree")
    assert isinstance(rubric, TreeRubric)
    people = [{"name": "Xifeng Yan", "sources": ["https://a.org"]}, {"name": "Jiawei Han", "sources": []}]
    plan = expand(rubric, task="", answer="", extracted={"advisors": {"people": people}}, failed=frozenset())
    assert [child.id for child in plan.root.children] == [f"generation_{n}" for n in range(1, 6)]
    assert len(plan.checks) == 15
    assert plan.checks["generation_1/given"] == Assertion(
        "generation_1/given", True, None, "a.name and a.sources"
    )
    assert plan.checks["generation_2/given"] == Assertion(
        "generation_2/given", False, None, "a.name and a.sources", "a.sources does not hold: it is []"
    )
    assert plan.checks["generation_2/name"] == Claim(
        "generation_2/name", "'Jiawei Han' and 'Jiawei Han' are the same person", None
    )
    assert plan.checks["generation_1/source"] == Claim(
        "generation_1/source", "Xifeng Yan advised Yu Su", ("https://a.org",)
    )
    assert plan.checks["generation_2/source"] == Claim(
        "generation_2/source", "Jiawei Han advised Xifeng Yan", ()
    )
    padded = plan.checks["generation_3/source"]
    assert isinstance(padded, Assertion)
    assert not padded.holds


def test_the_universities_example_works_as_it_is_written() -> None:
    rubric = rubric_of(UNIVERSITIES, "cascade")
    assert isinstance(rubric, CascadeRubric)
    (subtask,) = rubric.subtasks
    assert (subtask.id, subtask.importance, subtask.factuality[0].claims) == ("list", "P0", None)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_starter_set_passes_every_check_without_a_warning(protocol: str) -> None:
    reading = read_bundle(bundle_template(protocol, "my-first-set"))
    assert (reading.faults, reading.warnings) == ((), ())
    assert reading.bundle is not None
    assert (reading.bundle.slug, reading.bundle.title) == ("my-first-set", "My first set")
    assert reading.bundle.protocol == protocol


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_starter_set_archives_the_page_its_answers_cite(protocol: str) -> None:
    files = bundle_template(protocol, "my-first-set")
    page = json.loads(files["pages/index.jsonl"])
    cited = [files[f"answers/alps/{name}.md"].count(page["url"].encode()) for name in ("right", "wrong")]
    assert cited == [3, 3]


def test_the_starter_of_a_cascade_archives_its_reference() -> None:
    files = bundle_template("cascade", "my-first-set")
    (line,) = files["pages/index.jsonl"].splitlines()
    page = json.loads(line)
    rubric = parse_rubric({"subtasks": yaml.safe_load(files["tasks/alps.yaml"])["subtasks"]}, "cascade")
    assert isinstance(rubric, CascadeRubric)
    assert rubric.subtasks[0].factuality[0].references == (page["url"],)
    assert b"4,806 metres" in files[f"pages/{page['file']}"]


@pytest.mark.parametrize("slug", ["no", "on", "y", "e5", "a" * 60, "n1e3"])
def test_a_starter_set_takes_any_slug(slug: str) -> None:
    files = bundle_template("rubric_tree", slug)
    assert yaml.safe_load(files["tasks/alps.yaml"])["tree"]["for_each"]["count"] == 3
    if len(slug) > 1:
        assert read_bundle(files).faults == ()


def test_an_unknown_protocol_has_no_starter_set() -> None:
    with pytest.raises(KeyError):
        bundle_template("tree", "x")


def validates(data: Any) -> bool:
    return jsonschema.Draft202012Validator(rubric_schema()).is_valid(data)


def test_the_published_schema_is_one_and_tells_the_files_apart() -> None:
    jsonschema.Draft202012Validator.check_schema(rubric_schema())
    whole = [MANIFEST, tree_task(), CASCADE_TASK, yaml.safe_load(LINEAGE), yaml.safe_load(UNIVERSITIES)]
    assert all(validates(data) for data in whole)
    assert not any(validates({**data, "unknown": 1}) for data in whole)
    assert not validates({**tree_task(), "tree": {"children": []}})


def test_the_published_schema_is_a_copy() -> None:
    rubric_schema()["$defs"].clear()
    assert rubric_schema()["$defs"] == DEFINITIONS


def test_error_classes_are_those_of_the_scores() -> None:
    assert list(ERROR_CLASSES) == [error.value for error in ErrorClass]
