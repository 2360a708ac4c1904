"""Whole task sets: the manifest, the files, what is refused, and the hashes."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

import pytest

from judging.rubric import Bundle, Fault, Severity, read_bundle
from judging.rubric.bundle import MAX_TASKS
from tests.unit.judging.rubric.sets import (
    CASCADE_TASK,
    bundle_files,
    dump,
    faults,
    read,
    text,
    tree_task,
    warnings,
)


def bundle(*tasks: Any, **manifest: Any) -> Bundle:
    reading = read(*tasks, **manifest)
    assert reading.faults == ()
    assert reading.bundle is not None
    return reading.bundle


def test_a_small_set_gets_the_documented_defaults() -> None:
    one = bundle()
    assert (one.slug, one.version, one.title, one.protocol) == (
        "small-set",
        "1.0",
        "A small set",
        "rubric_tree",
    )
    assert (one.split, one.delivery, one.delivery_reason, one.runs) == ("dev", "open", "", 1)
    assert (one.licence, one.profile, one.as_of, one.description) == ("CC0-1.0", {}, None, "")
    (task,) = one.tasks
    assert (task.key, task.prompt, task.position, task.domain, task.subdomain) == ("t1", "Who?", 1, "", "")
    assert (task.task_type, task.time_varying, task.language, task.effort_minutes) == ("", False, "en", None)
    assert (task.subset, task.cluster, task.valid_until) == ((), "", None)
    assert task.rubric == {"tree": tree_task()["tree"]}


def test_everything_an_author_gives_is_kept() -> None:
    task = {
        **CASCADE_TASK, "prompt": "  Which?\n", "domain": "energy", "subdomain": "tariffs", "task_type": "analysis",
        "time_varying": True, "language": "pt-BR", "effort_minutes": 45, "subset": ["core", "hard"], "cluster": "may",
        "valid_until": "2026-12-31",
    }  # fmt: skip
    one = bundle(
        task,
        protocol="cascade",
        split="test",
        runs=3,
        as_of="2026-05-31",
        description=" D\n",
        profile={"pass_at": 0.9},
    )
    assert (one.delivery, one.runs, one.as_of, one.description) == ("sealed", 3, date(2026, 5, 31), "D")
    assert one.profile == {"pass_at": 0.9}
    (spec,) = one.tasks
    assert (spec.prompt, spec.domain, spec.subdomain, spec.task_type) == (
        "Which?",
        "energy",
        "tariffs",
        "analysis",
    )
    assert (spec.time_varying, spec.language, spec.effort_minutes) == (True, "pt-BR", 45)
    assert (spec.subset, spec.cluster, spec.valid_until) == (("core", "hard"), "may", date(2026, 12, 31))
    assert spec.rubric == {"subtasks": CASCADE_TASK["subtasks"]}


@pytest.mark.parametrize(
    ("manifest", "line"),
    [
        ({"slug": None}, "slug: is missing; give a slug of lower-case letters and digits joined by hyphens that begins with a letter"),
        ({"slug": "Small Set"}, 'slug: "Small Set" is not a slug of lower-case letters and digits joined by hyphens that begins with a letter'),
        ({"slug": "a--b"}, 'slug: "a--b" is not a slug of lower-case letters and digits joined by hyphens that begins with a letter'),
        ({"slug": "a"}, "slug: must have at least 2 characters"),
        ({"slug": "a" * 61}, "slug: has 61 characters, at most 60 are allowed"),
        ({"version": None}, 'version: is missing; give a version in quotes like "1.0", numbers joined by dots'),
        ({"version": 1.5}, "version: must be text, is 1.5; write it in quotes"),
        ({"version": "v1"}, 'version: "v1" is not a version in quotes like "1.0", numbers joined by dots'),
        ({"version": "../1"}, 'version: "../1" is not a version in quotes like "1.0", numbers joined by dots'),
        ({"title": "a\nb"}, 'title: "a\\nb" is not a title of one line'),
        ({"protocol": "tree"}, 'protocol: must be one of rubric_tree, cascade, is the text "tree"'),
        ({"split": "train"}, 'split: must be one of dev, test, is the text "train"'),
        ({"licence": None}, "licence: is missing; give a licence of one line"),
        ({"licence": ""}, "licence: must not be blank"),
        ({"license": "MIT"}, 'license: the key is spelt "licence"'),
        ({"runs": 0}, "runs: must be at least 1, is 0"),
        ({"runs": 101}, "runs: must be at most 100, is 101"),
        ({"runs": 1.5}, "runs: must be a whole number, is 1.5"),
        ({"runs": True}, "runs: must be a whole number, is true"),
        ({"as_of": "2026-02-30"}, 'as_of: "2026-02-30" is not a day of the calendar, written like 2026-11-30'),
        ({"as_of": "20260228"}, 'as_of: "20260228" is not a day of the calendar, written like 2026-11-30'),
        ({"as_of": 5}, "as_of: must be text, is 5; write it in quotes"),
        ({"author": "me"}, "author: unknown key; known are slug, version, title, protocol, split, delivery, delivery_reason, runs, licence, profile, "
          "as_of, description"),
        ({"split": "test", "delivery": "open"}, "delivery: open hands the prompts of a test set to every team; say why in delivery_reason, or leave "
          "delivery out"),
        ({"profile": {"pass_at": 0.9}}, "profile: holds constants of the cascade protocol; rubric_tree has none, so leave it out"),
        ({"profile": [1]}, "profile: must be a mapping, is a list"),
    ],
)  # fmt: skip
def test_a_manifest_that_is_wrong_is_named_with_advice(manifest: dict[str, Any], line: str) -> None:
    assert faults(**manifest) == [f"taskset.yaml: {line}"]


@pytest.mark.parametrize(
    ("profile", "paths"),
    [
        ({"pass_mark": 1}, ["profile.pass_mark"]),
        ({"weights": {"P0": 0}}, ["profile.weights.P0"]),
        ({"weights": {"P1": -1}}, ["profile.weights.P1"]),
        ({"weights": {"P9": 1}}, ["profile.weights"]),
        ({"pass_at": "high", "tolerance": 5, "gates": {"factuality": ["rationality"]}},
         ["profile.pass_at", "profile.tolerance", "profile.gates.factuality"]),
        ({"fail_below": 0.9}, ["profile.fail_below"]),
        ({"pass_at": 0.4}, ["profile.fail_below"]),
        ({"name": ""}, ["profile.name"]),
        ({"average": None}, ["profile.average"]),
    ],
)  # fmt: skip
def test_every_constant_of_the_profile_is_checked(profile: dict[str, Any], paths: list[str]) -> None:
    lines = faults(CASCADE_TASK, protocol="cascade", profile=profile)
    assert sorted(line.split(": ")[1] for line in lines) == sorted(paths)


def test_nan_and_infinities_never_reach_a_weight() -> None:
    files = bundle_files(CASCADE_TASK, protocol="cascade")
    files["taskset.yaml"] += b"profile: {weights: {P0: .nan, P1: .inf}}\n"
    assert [str(fault) for fault in read_bundle(files).faults] == [
        f"taskset.yaml: profile.weights.{name}: {value} is no number a rubric can use; give a finite one, or text in quotes"
        for name, value in {"P0": ".nan", "P1": ".inf"}.items()
    ]


def test_an_open_test_set_states_its_reason() -> None:
    one = bundle(split="test", delivery="open", delivery_reason="A tutorial set.")
    assert (one.delivery, one.delivery_reason) == ("open", "A tutorial set.")
    assert warnings(delivery_reason="x") == [
        "taskset.yaml: delivery_reason: is only shown for a test set with open delivery"
    ]


def test_a_set_without_a_manifest_still_has_its_tasks_read() -> None:
    files = {"tasks/a.yaml": dump(tree_task(domain="")), "tasks/b.yaml": dump({**CASCADE_TASK, "domain": ""})}
    assert [str(fault) for fault in read_bundle(files).faults] == [
        "taskset.yaml: (whole file): is missing: every task set has one at its root, beside the folder tasks",
        "tasks/a.yaml: domain: must not be blank",
        "tasks/b.yaml: domain: must not be blank",
    ]


def test_a_set_has_tasks() -> None:
    files = {"taskset.yaml": bundle_files()["taskset.yaml"]}
    assert [str(fault) for fault in read_bundle(files).faults] == [
        "tasks: (whole file): holds 0 tasks; a set has 1 to 1,000"
    ]
    assert read_bundle({}).bundle is None


def test_a_set_does_not_have_too_many_tasks() -> None:
    one = dump(tree_task())
    files = bundle_files() | {f"tasks/n{n}.yaml": one for n in range(MAX_TASKS)}
    assert [str(fault) for fault in read_bundle(files).faults] == [
        "tasks: (whole file): holds 1,001 tasks; a set has 1 to 1,000"
    ]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("tasks/T1.yaml", "has the same key as tasks/T1.yaml; keys differ in more than case"),
        ("tasks/t1.yml", "has the same key as tasks/t1.yaml; keys differ in more than case"),
        ("tasks/a b.yaml", '"a b" is no key for a task: letters, digits, _ and -, beginning with a letter or digit, at most 64'),
        ("tasks/-a.yaml", '"-a" is no key for a task: letters, digits, _ and -, beginning with a letter or digit, at most 64'),
        (f"tasks/{'a' * 65}.yaml", f'"{"a" * 59}… is no key for a task: letters, digits, _ and -, beginning with a letter or digit, at most 64'),
        ("tasks/t2.yaml.bak", "is no task file; tasks are tasks/<key>.yaml, without folders"),
        ("tasks/more/t2.yaml", "is no task file; tasks are tasks/<key>.yaml, without folders"),
        ("tasks/../t2.yaml", "is no task file; tasks are tasks/<key>.yaml, without folders"),
        ("tasks", "is no task file; tasks are tasks/<key>.yaml, without folders"),
    ],
)  # fmt: skip
def test_a_file_among_the_tasks_that_is_none_is_a_fault(file: str, reason: str) -> None:
    reading = read_bundle(bundle_files() | {file: dump(tree_task())})
    assert reading.bundle is None
    assert [fault.reason for fault in reading.faults] == [reason]


def test_other_files_are_left_out_with_a_warning() -> None:
    files = bundle_files() | dict.fromkeys(
        ("README.md", "LICENSE", "pages/index.jsonl", "pages/a/b.html"), b""
    )
    assert read_bundle(files).warnings == ()
    reading = read_bundle(files | {"notes.txt": b"", "Taskset.yaml": b""})
    assert reading.bundle is not None
    reason = "is no part of a task set and is left out"
    assert reading.warnings == tuple(
        Fault(name, "", reason, Severity.WARNING) for name in ("notes.txt", "Taskset.yaml")
    )


def test_nothing_is_half_accepted_and_every_file_is_told() -> None:
    lines = faults(tree_task(prompt=" "), b"a: [", b"", b"- x", tree_task(position=0), split="train")
    assert [line.split(": ")[:2] for line in lines] == [
        ["taskset.yaml", "split"],
        ["tasks/t1.yaml", "prompt"],
        ["tasks/t2.yaml", "(whole file)"],
        ["tasks/t3.yaml", "(whole file)"],
        ["tasks/t4.yaml", "(whole file)"],
        ["tasks/t5.yaml", "position"],
    ]


def test_what_the_reader_has_said_is_not_said_again() -> None:
    task = dump(tree_task()) + b"effort_minutes: .nan\ndomain: a\ndomain: 5\n"
    assert [line.split(": ")[1] for line in faults(task)] == ["effort_minutes", "domain"]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"prompt": ""}, "prompt: must not be blank"),
        ({"prompt": " \n"}, "prompt: must not be blank"),
        ({"prompt": 5}, "prompt: must be text, is 5; write it in quotes"),
        ({"prompt": "x" * 20_001}, "prompt: has 20,001 characters, at most 20,000 are allowed"),
        ({"task_type": "search"}, 'task_type: must be one of retrieval, analysis, is the text "search"'),
        ({"time_varying": "no"}, 'time_varying: must be true or false, is the text "no"'),
        ({"language": "English"}, 'language: "English" is not a language tag like en or pt-BR'),
        ({"effort_minutes": 0}, "effort_minutes: must be at least 1, is 0"),
        ({"subset": "core"}, 'subset: must be a list, is the text "core"'),
        ({"subset": ["core", "core"]}, "subset: repeats an entry"),
        ({"subset": []}, "subset: is an empty list; leave the key out or give an entry"),
        ({"subset": [str(n) for n in range(21)]}, "subset: has 21 entries, at most 20 are allowed"),
        ({"valid_until": "soon"}, 'valid_until: "soon" is not a day of the calendar, written like 2026-11-30'),
        ({"valid_until": "2026-W01-1"}, 'valid_until: "2026-W01-1" is not a day of the calendar, written like 2026-11-30'),
        ({"valid_until": "2025-12-31"}, "valid_until: 2025-12-31 lies before the set's as_of, 2026-01-01"),
        ({"id": "x"}, "id: unknown key; known are prompt, position, domain, subdomain, task_type, time_varying, language, effort_minutes, subset, "
          "cluster, valid_until, truth, extract, tree"),
    ],
)  # fmt: skip
def test_a_task_that_is_wrong_is_named_with_advice(keys: dict[str, Any], line: str) -> None:
    assert faults(tree_task(**keys), as_of="2026-01-01") == [f"tasks/t1.yaml: {line}"]


def test_tasks_stand_by_position_then_in_natural_order_of_their_keys() -> None:
    files = {"taskset.yaml": bundle_files()["taskset.yaml"]}
    for key, position in {"q10": None, "q9": None, "q009b": None, "z": 7, "m": 3, "Q1": None}.items():
        files[f"tasks/{key}.yaml"] = dump(tree_task() | ({} if position is None else {"position": position}))
    reading = read_bundle(files)
    assert reading.bundle is not None
    assert [(task.position, task.key) for task in reading.bundle.tasks] == [
        (1, "m"), (2, "z"), (3, "Q1"), (4, "q9"), (5, "q009b"), (6, "q10"),
    ]  # fmt: skip


def test_two_tasks_do_not_share_a_position() -> None:
    assert faults(tree_task(position=2), tree_task(), tree_task(position=2)) == [
        "tasks/t3.yaml: position: 2 is the position of tasks/t1.yaml already"
    ]


def test_time_varying_tasks_ask_for_a_day() -> None:
    assert warnings(tree_task(time_varying=True)) == [
        "tasks/t1.yaml: time_varying: is true, but taskset.yaml gives no as_of: true as of which day?"
    ]
    assert warnings(tree_task(time_varying=True), as_of="2026-01-01") == []


SET = text(
    """
    slug: small-set
    version: "1.0"
    title: A small set
    protocol: rubric_tree
    split: dev
    licence: CC0-1.0
    """
)
TASK = text(
    """
    prompt: Who was it?
    effort_minutes: 5
    truth: {name: Ada, born: 1815}
    tree:
      children:
        - {id: a, critical: true, claim: "It was {{ truth.name }}", evidence: none}
    """
)
SAME_SET = text(
    """\ufeff
    # comments, order, quotes and numbers are written otherwise
    licence: "CC0-1.0"
    split: 'dev'
    protocol: rubric_tree
    title: >-
      A small
      set
    version: '1.0'
    slug: small-set
    """
)
SAME_TASK = text(
    """
    tree:
      children:
      - evidence: none
        claim: >-
          It was {{ truth.name }}
        critical: True
        id: a
    truth:
      born: 1815.0
      name: &ada Ada
    effort_minutes: 5
    prompt: "Who was \\
      it?"
    """
).replace(b"\n", b"\r\n")


def hashes(*files: tuple[str, bytes]) -> tuple[str, ...]:
    reading = read_bundle(dict(files))
    assert reading.faults == ()
    assert reading.bundle is not None
    return reading.bundle.content_hash, *(task.rubric_hash for task in reading.bundle.tasks)


ORIGINAL = (("taskset.yaml", SET), ("tasks/a.yaml", TASK))


def test_hashes_are_those_of_the_content_not_of_its_writing() -> None:
    written_otherwise = hashes(("tasks/a.yml", SAME_TASK), ("taskset.yaml", SAME_SET), ("README.md", b"x"))
    assert written_otherwise == hashes(*ORIGINAL)
    assert all(len(value) == 64 for value in written_otherwise)


def test_hashes_can_be_computed_by_hand() -> None:
    # Other spellings would re-import and re-judge every set there is.
    tree = '{"children":[{"claim":"It was {{ truth.name }}","critical":true,"evidence":"none","id":"a"}]}'
    truth = '{"born":1815,"name":"Ada"}'
    task = f'{{"effort_minutes":5,"prompt":"Who was it?","tree":{tree},"truth":{truth}}}'
    manifest = (
        '{"licence":"CC0-1.0","protocol":"rubric_tree","slug":"small-set","split":"dev","title":"A small set",'
        '"version":"1.0"}'
    )
    content = f'{{"tasks":{{"a":{task}}},"taskset":{manifest}}}'
    rubric = f'{{"protocol":"rubric_tree","rubric":{{"tree":{tree},"truth":{truth}}}}}'
    assert hashes(*ORIGINAL) == tuple(hashlib.sha256(text.encode()).hexdigest() for text in (content, rubric))


@pytest.mark.parametrize(
    ("old", "new", "rubric_too"),
    [
        (b"Who was it?", b"Who is it?", False),
        (b"effort_minutes: 5", b"effort_minutes: 6", False),
        (b"born: 1815", b"born: 1816", True),
        (b"critical: true", b"critical: false", True),
    ],
)
def test_what_changes_a_task_changes_the_hash_of_the_set(old: bytes, new: bytes, rubric_too: bool) -> None:
    before, after = hashes(*ORIGINAL), hashes(ORIGINAL[0], ("tasks/a.yaml", TASK.replace(old, new)))
    assert before[0] != after[0]
    assert (before[1] != after[1]) == rubric_too


def test_keys_and_manifest_are_part_of_the_hash() -> None:
    before = hashes(*ORIGINAL)
    renamed = hashes(ORIGINAL[0], ("tasks/b.yaml", TASK))
    retitled = hashes(("taskset.yaml", SET.replace(b"A small", b"The small")), ORIGINAL[1])
    assert len({before[0], renamed[0], retitled[0]}) == 3
    assert before[1] == renamed[1] == retitled[1]


def test_a_fault_is_one_line_whatever_the_author_wrote() -> None:
    fault = Fault("a\nb.yaml", "x\u2028y", "says\r\n\x1b[31m")
    assert str(fault) == "a b.yaml: x y: says   [31m"
