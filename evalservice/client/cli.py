"""``evalservice``: submit answers and follow them from a terminal."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from evalservice.client.api import Client, Misconfigured, Problem, ServiceUnreachable
from evalservice.client.bundles import NothingToSubmit
from evalservice.client.terminal import complain, dump, say, tabulate

REFUSED, MISUSED, UNSCORED, UNREACHABLE, UNDER_WAY, INTERRUPTED = 1, 2, 3, 4, 5, 130
EXIT_CODES = {
    0: "done",
    REFUSED: "refused by the service",
    MISUSED: "wrong use: an argument, the address, the key, or nothing to submit",
    UNSCORED: "the submission ended without scores, or is paused until somebody acts",
    UNREACHABLE: "the service cannot be reached",
    UNDER_WAY: "still under way when the time for watching was over",
    INTERRUPTED: "watching was interrupted; the submission goes on",
}
# An empty line keeps the terminal from joining the lines.
EPILOG = "\n\n".join(["Exit codes:", *(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())])
SCORED = frozenset({"judged", "published"})
# The scores that --json does not need to be asked for.
HEADLINES = ("user_pref", "overall", "partial_completion", "success_rate", "reference_support", "coverage")
# What to do, where the service cannot know how it is asked.
REMEDIES = {
    "not_authenticated": "Set EVALSERVICE_KEY to your team's key.",
    "key_unknown": "Look at EVALSERVICE_KEY: is it the whole key, and of this service?",
    "key_expired": "Ask for a new key and set EVALSERVICE_KEY.",
    "key_revoked": "Ask for a new key and set EVALSERVICE_KEY.",
    "task_set_not_open": "`evalservice sets` lists what is open.",
}

# Locals in a traceback would show the key.
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Submit answers to an evaluation service and follow them to the board.",
    epilog=EPILOG,
)

Url = Annotated[str, typer.Option(envvar="EVALSERVICE_URL", help="Address of the service.")]
Key = Annotated[
    str, typer.Option(envvar="EVALSERVICE_KEY", help="Your team's key; better in the environment.")
]
Json = Annotated[bool, typer.Option("--json", help="What the service says, as one line of JSON.")]
Watch = Annotated[bool, typer.Option("--watch", help="Follow it to its end.")]
Seconds = Annotated[float, typer.Option("--seconds", min=0, help="Watch no longer than this.")]


@contextmanager
def _client(url: str, key: str) -> Iterator[Client]:
    """A client whose refusals become a sentence and an exit code."""
    try:
        with Client(url, key=key) as client:
            yield client
    except Problem as problem:
        _explain(problem)
        raise typer.Exit(REFUSED) from problem
    except (Misconfigured, NothingToSubmit) as error:
        complain(str(error))
        raise typer.Exit(MISUSED) from error
    except ServiceUnreachable as error:
        complain(f"Cannot reach the service: {error}")
        raise typer.Exit(UNREACHABLE) from error


def _explain(problem: Problem) -> None:
    complain(f"{problem.title} ({problem.code or problem.status})", style="red")
    complain(problem.detail)
    for fault in problem.errors:
        if fault.get("pointer"):
            complain(f"  {fault['pointer']}: {fault.get('detail', '')}")
    if problem.retry_after:
        complain(f"Try again in {problem.retry_after:.0f} s.")
    if problem.code in REMEDIES:
        complain(REMEDIES[problem.code])
    if problem.instance and problem.status >= 500:
        complain(f"Report it with the number {problem.instance}.")


@app.command()
def whoami(url: Url, key: Key = "", as_json: Json = False) -> None:
    """Show the team your key belongs to."""
    with _client(url, key) as client:
        me = client.me()
    if as_json:
        dump(me)
        return
    say(f"{me['team']['name']} ({me['team']['organisation']})")
    say(f"key {me['key']['name']}: {', '.join(me['key']['scopes'])} until {me['key']['expires_at']}")


@app.command()
def sets(url: Url, as_json: Json = False) -> None:
    """List the open task sets."""
    with _client(url, "") as client:
        found = client.task_sets()
    if as_json:
        dump(found)
    else:
        tabulate(found, ("slug", "version", "title", "protocol", "split", "delivery", "tasks", "runs"))


@app.command()
def tasks(
    task_set: Annotated[str, typer.Argument(help="Slug of the task set.")], url: Url, key: Key = ""
) -> None:
    """Print what a set asks, a task a line, as JSON."""
    with _client(url, key) as client:
        for task in client.tasks(task_set):
            dump(task)


@app.command(epilog=EPILOG)
def submit(
    path: Annotated[Path, typer.Argument(help="Folder <task>/answer_<run>.md, a zip of it, or JSON lines.")],
    url: Url,
    task_set: Annotated[str, typer.Option(help="Slug of the task set.")],
    system: Annotated[str, typer.Option(help="Name of your system; registered if new.")],
    system_class: Annotated[
        str,
        typer.Option(help="Of a new system: deep_research, llm_search, framework, web_agent or human."),
    ] = "deep_research",
    runs: Annotated[int | None, typer.Option(min=1, help="Runs a task, if fewer than the set's.")] = None,
    note: Annotated[str, typer.Option(help="For yourselves; shown to your team alone.")] = "",
    idempotency_key: Annotated[
        str, typer.Option(help="Any text; repeating a submission with the same one cannot submit twice.")
    ] = "",
    watch: Watch = False,
    seconds: Seconds = 3600,
    key: Key = "",
) -> None:
    """Submit all answers at once; prints the submission's id."""
    once = idempotency_key or uuid.uuid4().hex
    with _client(url, key) as client:
        known = client.system(system) or client.create_system(name=system, system_class=system_class)
        try:
            submission = client.submit(
                system=known["id"], task_set=task_set, bundle=path, runs=runs, note=note, idempotency_key=once
            )
        except ServiceUnreachable:
            complain(
                f"It may have arrived. Repeat it with --idempotency-key {once}: that cannot submit twice."
            )
            raise
        say(submission["id"])
        if watch:
            _follow(client, submission["id"], seconds, as_json=False)


@app.command(epilog=EPILOG)
def status(
    submission: Annotated[str, typer.Argument(help="Id of the submission.")],
    url: Url,
    watch: Watch = False,
    seconds: Seconds = 3600,
    as_json: Json = False,
    key: Key = "",
) -> None:
    """Show where a submission stands; with --watch at every step, until it ends."""
    with _client(url, key) as client:
        if watch:
            _follow(client, submission, seconds, as_json=as_json)
        else:
            _show(client.submission(submission), as_json=as_json)


@app.command()
def board(
    slug: Annotated[str, typer.Argument(help="Slug of the task set.")],
    version: Annotated[str, typer.Argument(help="Its version.")],
    url: Url,
    as_json: Json = False,
) -> None:
    """Print a public board."""
    with _client(url, "") as client:
        document = client.board(slug, version)
    if as_json:
        dump(document)
        return
    say(f"{document['task_set']['title']} {version}, judge {document['method']['judge']}")
    primary = document["columns"][0]
    rows = [_row(row, primary) for row in document["rows"]]
    tabulate(rows, ("rank", "system", "organisation", primary["label"], "95 %", "attempts", "status"))


def _row(row: dict[str, Any], primary: dict[str, Any]) -> dict[str, Any]:
    interval = row["intervals"].get(primary["key"])
    return {
        **row,
        "organisation": row["system"]["organisation"],
        primary["label"]: row["values"].get(primary["key"]),
        "95 %": f"{interval[0]} to {interval[1]}" if interval else None,
    }


def _follow(client: Client, submission_id: str, seconds: float, *, as_json: bool) -> None:
    """Show every step.

    :raises typer.Exit: it did not end with scores, or not within the time.
    """
    last: dict[str, Any] = {}
    try:
        for last in client.watch(submission_id, seconds=seconds):
            _show(last, as_json=as_json)
    except KeyboardInterrupt:
        _come_back(submission_id)
        raise typer.Exit(INTERRUPTED) from None
    except TimeoutError:
        _come_back(submission_id)
        raise typer.Exit(UNDER_WAY) from None
    if last["state"] not in SCORED:
        raise typer.Exit(UNSCORED)


def _come_back(submission_id: str) -> None:
    complain(f"It goes on without us. To watch again: evalservice status {submission_id} --watch")


def _show(submission: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        dump(submission)
        return
    reasons = [submission["state_reason"], *submission["incomplete_reasons"]]
    given, expected = submission["answers"]["given"], submission["answers"]["expected"]
    why = ", ".join(reason for reason in reasons if reason)
    say(f"{submission['state']}: {given} of {expected} answers" + (f" ({why})" if why else ""))
    scores = submission["scores"] or {}
    values = {**scores, **scores.get("values", {})}  # on test sets as the board's row shows them
    for name in HEADLINES:
        if values.get(name) is not None:
            say(f"  {name} {round(values[name], 3)}")
