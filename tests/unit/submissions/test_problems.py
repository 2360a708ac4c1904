"""The list of codes is closed: what can be raised is in it, and what is in it can be raised."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import submissions
from evalservice.api import _DRF_CODES
from submissions.bundle import FaultCode
from submissions.problems import CODES, MAX_FAULTS, ErrorItem, FirstFaults, Refusal

ROOT = Path(__file__).parents[3]


def _refusals() -> set[type[Refusal]]:
    for module in pkgutil.walk_packages(submissions.__path__, "submissions."):
        if ".migrations" not in module.name and ".management" not in module.name:
            importlib.import_module(module.name)
    found, todo = set(), [Refusal]
    while todo:
        below = todo.pop().__subclasses__()
        found.update(below)
        todo += below
    return found


def _literals() -> set[str]:
    """Every text constant of the code that could be a code."""
    texts: set[str] = set()
    for folder in ("submissions", "evalservice", "leaderboard"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name == "problems.py" or "migrations" in path.parts:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            texts |= {
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    return texts


def test_every_refusal_has_a_code_of_the_list() -> None:
    refusals = _refusals()
    assert len(refusals) > 15
    for refusal in refusals:
        assert refusal.code in CODES, refusal


def test_every_fault_of_a_bundle_is_in_the_list() -> None:
    assert {str(code) for code in FaultCode} <= set(CODES)


def test_every_code_of_the_framework_has_one_of_ours() -> None:
    assert set(_DRF_CODES.values()) <= set(CODES)


def test_no_code_is_dead() -> None:
    assert set(CODES) - _literals() == set()


def test_codes_are_sorted_and_say_what_to_do() -> None:
    assert list(CODES) == sorted(CODES)
    for name, code in CODES.items():
        assert name.isidentifier()
        assert name == name.lower()
        assert 400 <= code.status <= 500 or name == "not_ready"  # which is the operator's to mend
        assert code.title
        assert code.meaning.endswith(".")
        assert "|" not in code.meaning


class Example(Refusal):
    """A refusal."""

    code = "not_found"


def test_a_refusal_has_an_entry_whatever_it_is_given() -> None:
    meaning = CODES["not_found"].meaning
    assert Example().errors == (ErrorItem("", "not_found", meaning),)
    assert Example("why").errors == (ErrorItem("", "not_found", "why"),)
    item = ErrorItem("/x", "field_invalid", "y")
    assert Example(errors=[item]).errors == (item,)
    assert str(Example(errors=[item])) == meaning


def test_faults_beyond_the_most_are_counted() -> None:
    first = FirstFaults(range(MAX_FAULTS), more=2)
    assert (first.kept, first.more) == (list(range(MAX_FAULTS)), 2)
    first.add(5)
    assert (len(first.kept), first.more) == (MAX_FAULTS, 3)
    assert f" {MAX_FAULTS} " in CODES["more_faults"].meaning
