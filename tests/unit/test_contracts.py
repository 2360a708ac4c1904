"""A module that calls itself pure is held to it by a contract."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

from tests.programs import ROOT


def calling_themselves_pure() -> Iterator[str]:
    for app in ("evalservice", "leaderboard", "judging", "submissions"):
        for path in (ROOT / app).rglob("*.py"):
            words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            if re.search(r"\b[Pp]ure\b", words):
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def held_pure() -> set[str]:
    written = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = written["tool"]["importlinter"]["contracts"]
    return {
        module
        for contract in contracts
        if contract["type"] == "forbidden"
        and {"django", "rest_framework"} <= set(contract["forbidden_modules"])
        for module in contract["source_modules"]
        if not module.startswith("evalservice")
    }


def test_every_module_that_calls_itself_pure_stands_in_a_contract() -> None:
    pure, held = sorted(calling_themselves_pure()), held_pure()
    assert "judging.tree" in held
    assert len(pure) > 20
    loose = [name for name in pure if not any(f"{name}.".startswith(f"{module}.") for module in held)]
    assert loose == []
