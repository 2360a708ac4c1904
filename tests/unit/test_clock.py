"""The clock is read where docs/adr/0008 says, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READS = re.compile(r"timezone\.now\(|datetime\.(?:now|utcnow|today)\(|date\.today\(|\btime\.time\(")
AT_THE_EDGE = re.compile(r"(^|/)(api|admin|management|views)(/|\.py)|/tasks\.py$")


def readers() -> set[str]:
    """Modules of ours that ask what time it is, but for views, tasks, commands and admin actions."""
    files = (file for app in ("submissions", "judging", "leaderboard") for file in (ROOT / app).rglob("*.py"))
    found = {str(file.relative_to(ROOT)) for file in files if READS.search(file.read_text(encoding="utf-8"))}
    return {name for name in found if not AT_THE_EDGE.search(name)}


def test_the_clock_is_read_where_the_decision_says_and_nowhere_else() -> None:
    decision = (ROOT / "docs/adr/0008-where-the-clock-is-read.md").read_text(encoding="utf-8")
    assert readers() == set(re.findall(r"`([a-z]+/[a-z_]+\.py)`", decision))
    assert len(readers()) >= 5
