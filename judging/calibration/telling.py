"""A report as people read it: one text, the same in a terminal and in the admin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from judging.calibration.lines import printable

__all__ = ["told"]

WIDTH = 30
LISTED = 50  # disagreements


def told(report: Mapping[str, Any]) -> str:
    """The report in lines. Names in it are others' words: each stays on its line, without control characters."""
    return "\n".join(printable(line).rstrip() for line in _lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield _line("profile", report["profile"])
    yield _line("labels", f"{report['labels']} ({report['protocol']}), sha256 {report['labels_sha256']}")
    yield _line("runs", str(report["runs"]))
    yield _line("agreement", _share(report["agreement"]))
    errors = report["judge_errors"]
    yield _line("judge errors", f"{_share(errors)}; {errors['adjudicated']} labels adjudicated")
    yield _line("kappa", _number(report["kappa"]))
    if report["kappa_linear"] is not None:
        yield _line("kappa, linear weights", _number(report["kappa_linear"]))
        yield _line("kappa, quadratic weights", _number(report["kappa_quadratic"]))
    yield _line("abstentions", _share(report["abstentions"]))
    yield _line("failures of ours", _share(report["failures"]))
    yield _line("flips", _share(report["flips"]) if report["flips"] else "not known of one run")
    if found := report.get("extraction"):  # reports that were kept before know nothing of it
        yield _line("claims missed", f"{_share(found)}; {found['answers']} answers, {found['failed']} failed")
    yield from _table("label / verdict", report["confusion"])
    yield from _section("groups", ((name, _share(found)) for name, found in report["groups"].items()))
    if report["against"]:
        yield from _against(report["against"])
    yield from _section("probes", ((probe["id"], _probe(probe)) for probe in report["probes"]))
    yield from _section("disagreements", _disagreements(report["disagreements"]))
    yield from _section("cost", _cost(report["cost"]))
    yield from _section(
        "calibrated" if report["passed"] else "not calibrated", _conditions(report["conditions"])
    )


def _line(name: str, value: str) -> str:
    return f"{name:<{WIDTH}} {value}"


def _section(title: str, lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"  {_line(name or '(no name)', value)}" for name, value in lines)


def _table(title: str, found: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    columns = sorted({column for row in found.values() for column in row})
    yield ""
    yield _line(title, "".join(f"{column:>14}" for column in columns))
    for name, row in found.items():
        yield _line(name, "".join(f"{row.get(column, 0):>14}" for column in columns))


def _against(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _section(
        f"against {found['profile']}",
        [
            ("agreement", _share(found["agreement"])),
            ("kappa", _number(found["kappa"])),
            ("its own with the labels", _share(found["with_labels"])),
        ],
    )
    yield from _table("verdict / other's", found["confusion"])


def _probe(probe: Mapping[str, Any]) -> str:
    if probe["same"]:
        return f"as {probe['clean_twin']}: {', '.join(probe['verdicts'])}"
    return f"OTHER THAN {probe['clean_twin']}: {', '.join(probe['verdicts'])}; clean: {', '.join(probe['clean'])}"


def _disagreements(found: list[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for one in found[:LISTED]:
        looked = f", adjudicated {one['adjudicated']}" if one["adjudicated"] else ""
        code = f" ({one['code']})" if one["code"] else ""
        yield one["id"], f"label {one['label']}{looked}, verdict {one['verdict']}{code}"
    if len(found) > LISTED:
        yield "…", f"{len(found) - LISTED} more, in the JSON"


def _cost(cost: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "calls", str(cost["calls"])
    yield (
        "tokens",
        f"{cost['prompt_tokens']} of prompts ({cost['cached_tokens']} cached), "
        + (f"{cost['completion_tokens']} of replies ({cost['reasoning_tokens']} of reasoning)"),
    )
    yield "USD", "not known" if cost["cost_usd"] is None else f"{cost['cost_usd']:.4f}"
    yield "seconds", f"{cost['seconds']}"
    yield from (("served by " + name, f"{count} replies") for name, count in cost["served"].items())


def _conditions(conditions: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for one in conditions:
        found = one["found"]
        shown = _number(found) if isinstance(found, float) else str(found)
        yield one["needed"], f"{shown}: {'yes' if one['met'] else 'NO'}"


def _share(found: Mapping[str, Any]) -> str:
    return f"{found['share']:.3f} ({found['count']} of {found['of']}; 95 % {found['low']:.3f} to {found['high']:.3f})"


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"
