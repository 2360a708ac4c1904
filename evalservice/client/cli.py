"""``evalservice``: submit answers and follow them from a terminal.

Exit codes: 0 done · 1 refused by the service · 2 wrong use · 3 the submission did not end with scores ·
4 the service cannot be reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from evalservice.client.api import Client, Problem, ServiceUnreachable
from evalservice.client.bundles import NothingToSubmit

app = typer.Typer(no_args_is_help=True, add_completion=True, help="Submit answers to an evaluation service.")
out = Console()
err = Console(stderr=True)

REFUSED, MISUSED, UNSCORED, UNREACHABLE = 1, 2, 3, 4
SCORED = frozenset({"judged", "published"})

Url = Annotated[str, typer.Option(envvar="EVALSERVICE_URL", help="Address of the service.")]
Key = Annotated[
    str, typer.Option(envvar="EVALSERVICE_KEY", help="Your team's key; better in the environment.")
]


@contextmanager
def _client(url: str, key: str) -> Iterator[Client]:
    """A client whose refusals become a sentence and an exit code."""
    try:
        with Client(url, key=key) as client:
            yield client
    except Problem as problem:
        err.print(f"[red]{problem.title}[/red] ({problem.code or problem.status})", highlight=False)
        err.print(problem.detail, markup=False, highlight=False)
        for fault in problem.errors:
            err.print(
                f"  {fault.get('pointer', '')}: {fault.get('detail', '')}", markup=False, highlight=False
            )
        raise typer.Exit(REFUSED) from problem
    except NothingToSubmit as error:
        err.print(str(error), markup=False)
        raise typer.Exit(MISUSED) from error
    except ServiceUnreachable as error:
        err.print(f"Cannot reach the service: {error}", markup=False)
        raise typer.Exit(UNREACHABLE) from error


@app.command()
def whoami(url: Url, key: Key = "") -> None:
    """Show the team your key belongs to."""
    with _client(url, key) as client:
        me = client.me()
    out.print(f"{me['team']['name']} ({me['team']['organisation']}), key {me['key']['name']}", markup=False)


@app.command()
def sets(url: Url, key: Key = "") -> None:
    """List the open task sets."""
    with _client(url, key) as client:
        found = client.task_sets()
    _table(found, ("slug", "version", "title", "protocol", "split", "delivery", "tasks", "runs"))


@app.command()
def submit(
    path: Annotated[Path, typer.Argument(help="Folder <task>/answer_<run>.md, a zip of it, or JSON lines.")],
    url: Url,
    task_set: Annotated[str, typer.Option(help="Slug of the task set.")],
    system: Annotated[str, typer.Option(help="Name of your system; registered if new.")],
    system_class: Annotated[str, typer.Option(help="Class of a new system.")] = "deep_research",
    runs: Annotated[int | None, typer.Option(help="Runs a task, if fewer than the set's.")] = None,
    watch: Annotated[bool, typer.Option(help="Follow it to its end.")] = False,
    key: Key = "",
) -> None:
    """Submit all answers at once."""
    with _client(url, key) as client:
        known = client.system(system) or client.create_system(name=system, system_class=system_class)
        submission = client.submit(system=known["id"], task_set=task_set, bundle=path, runs=runs)
        out.print(submission["id"], markup=False)
        if watch:
            _follow(client, submission["id"])


@app.command()
def status(
    submission: Annotated[str, typer.Argument(help="Id of the submission.")],
    url: Url,
    watch: Annotated[bool, typer.Option(help="Follow it to its end.")] = False,
    key: Key = "",
) -> None:
    """Show where a submission stands."""
    with _client(url, key) as client:
        if watch:
            _follow(client, submission)
        else:
            _say(client.submission(submission))


@app.command()
def board(slug: str, version: str, url: Url) -> None:
    """Print a public board."""
    with _client(url, "") as client:
        document = client.board(slug, version)
    out.print(f"{document['task_set']['title']} {version}", markup=False)
    primary = document["columns"][0]
    rows = [
        {
            **row,
            "organisation": row["system"]["organisation"],
            primary["label"]: row["values"].get(primary["key"]),
        }
        for row in document["rows"]
    ]
    _table(rows, ("rank", "system", "organisation", primary["label"], "attempts", "published_at"))


def _follow(client: Client, submission_id: str) -> None:
    last: dict[str, Any] = {}
    for last in client.watch(submission_id):
        _say(last)
    if last["state"] not in SCORED:
        raise typer.Exit(UNSCORED)


def _say(submission: dict[str, Any]) -> None:
    reason = submission.get("state_reason") or ", ".join(submission.get("incomplete_reasons") or [])
    out.print(f"{submission['state']} {submission['progress']} {reason}".rstrip(), markup=False)


def _table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    table = Table(*columns)
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    out.print(table)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name", value))
    return "" if value is None else str(value)
