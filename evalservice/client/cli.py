"""``evalservice``: submit answers and follow them from a terminal."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from evalservice.client.api import SETTLED, Client, Misconfigured, Problem, ServiceUnreachable
from evalservice.client.bundles import NothingToSubmit, look_at
from evalservice.client.feedback import COLUMNS, checks, gates, headline, is_open, read_out
from evalservice.client.standing import standing
from evalservice.client.terminal import complain, dump, say, tabulate
from evalservice.client.words import MARKS, moment

REFUSED, MISUSED, UNSCORED, UNREACHABLE, UNDER_WAY, NO_FEEDBACK, INTERRUPTED = 1, 2, 3, 4, 5, 6, 130
EXIT_CODES = {
    0: "done",
    REFUSED: "refused by the service",
    MISUSED: "wrong use: an argument, the address, the key, or nothing to submit",
    UNSCORED: "the submission ended without scores, or is paused until somebody acts",
    UNREACHABLE: "the service cannot be reached",
    UNDER_WAY: "still under way: not judged yet, or not within the time for watching",
    NO_FEEDBACK: "the submission is to a test set, on whose answers there is no feedback",
    INTERRUPTED: "watching was interrupted; the submission goes on",
}
# An empty line keeps the terminal from joining the lines.
EPILOG = "\n\n".join(["Exit codes:", *(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())])
SCORED = frozenset({"judged", "published"})
# What to do, where the service cannot know how it is asked.
REMEDIES = {
    "not_authenticated": "Set EVALSERVICE_KEY to your team's key.",
    "key_unknown": "Look at EVALSERVICE_KEY: is it the whole key, and of this service?",
    "key_expired": "Ask for a new key and set EVALSERVICE_KEY.",
    "key_revoked": "Ask for a new key and set EVALSERVICE_KEY.",
    "task_unknown": "`evalservice tasks SET` lists a set's tasks with their ids.",
    "task_set_not_open": "`evalservice sets` lists what is open.",
    "not_found": "Look at what you asked for, and at the key: what belongs to another team is not there for you.",
}
# Why a set tells its tasks to nobody, or to nobody any more.
NO_TASKS = frozenset({"not_found", "task_set_not_open", "sealed_needs_lease"})
# Where the service's own sentence points to a part of its answer that is told below in other words.
LISTED = {
    "bundle_refused": "Nothing of the bundle was stored. Its faults:",
    "request_invalid": "The service does not take this:",
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
    faults = [fault for fault in problem.errors if fault.get("pointer")]
    complain(LISTED.get(problem.code, problem.detail) if faults else problem.detail)
    for fault in faults:
        complain(f"  {fault['pointer']}: {fault.get('detail', '')}")
    if problem.retry_after:
        complain(f"Try again in {problem.retry_after:.0f} s.")
    for code in dict.fromkeys([problem.code, *(str(fault.get("code")) for fault in faults)]):
        if code in REMEDIES:
            complain(REMEDIES[code])
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
    used = me["key"]
    say(f"key '{used['name']}' ({', '.join(used['scopes'])}) is valid until {moment(used['expires_at'])}")


@app.command()
def sets(url: Url, as_json: Json = False) -> None:
    """List the open task sets."""
    with _client(url, "") as client:
        found = client.task_sets()
    if as_json:
        dump(found)
        return
    if not found:
        complain("No task set is open.")
        return
    rows = [{**one, "closes": moment(one.get("closes_at") or "")} for one in found]
    closes = ("closes",) if any(row["closes"] for row in rows) else ()
    tabulate(rows, ("slug", "version", "title", "protocol", "split", "delivery", "tasks", "runs", *closes))


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
        look_at(path)  # before a system is registered for answers that are not there
        known = client.system(system) or _registered(client, system, system_class)
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
        else:
            complain(f"To follow it: evalservice status {submission['id']} --watch")


def _registered(client: Client, system: str, system_class: str) -> dict[str, Any]:
    made = client.create_system(name=system, system_class=system_class)
    complain(f"Registered a new system: {system} ({system_class}).")
    return made


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


@app.command(epilog=EPILOG)
def feedback(
    submission: Annotated[str, typer.Argument(help="Id of a submission to a dev set.")],
    url: Url,
    task: Annotated[str, typer.Option(help="Only this task, by its id or its author's key.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Also the checks that are met.")] = False,
    as_json: Json = False,
    key: Key = "",
) -> None:
    """Show where the answers to a dev set lost points, and why."""
    with _client(url, key) as client:
        shown = client.submission(submission)
        if shown["task_set"]["split"] != "dev":
            complain("There is feedback on answers to dev sets alone; this is a submission to a test set.")
            raise typer.Exit(NO_FEEDBACK)
        rows = client.answers(submission)
        names = _task_names(client, shown["task_set"]["slug"])
    rows = [row for row in _in_order(rows, names) if task in ("", row["task"], names.get(row["task"]))]
    if not rows:
        complain(f"The set has no task {task}.")
        raise typer.Exit(MISUSED)
    if as_json:
        dump(rows)
    judged = [row for row in rows if is_open(row)]
    if not judged:
        _explain_silence(shown)
    for row in judged if not as_json else ():
        _show_feedback(row, names.get(row["task"], row["task"]), everything=everything)


def _in_order(rows: list[dict[str, Any]], names: dict[str, str]) -> list[dict[str, Any]]:
    """Answers in the order of their tasks in the set, as far as that is known."""
    places = {task: place for place, task in enumerate(names)}
    return sorted(rows, key=lambda row: (places.get(row["task"], len(places)), row["task"], row["run"]))


def _task_names(client: Client, slug: str) -> dict[str, str]:
    """The authors' keys of tasks by id, in the order of the set, as far as it is still open."""
    try:
        return {task["id"]: task.get("key", task["id"]) for task in client.tasks(slug)}
    except Problem as problem:
        if problem.code not in NO_TASKS:
            raise
        return {}


def _explain_silence(submission: dict[str, Any]) -> None:
    """Say why nothing is judged.

    :raises typer.Exit: always.
    """
    ended = submission["state"] in SETTLED
    waits = not ended and submission["state"] != "draft"
    then = f" To watch it: evalservice status {submission['id']} --watch" if waits else ""
    complain(f"Nothing is judged: the submission is {submission['state']}.{then}")
    raise typer.Exit(UNSCORED if ended else UNDER_WAY)


def _show_feedback(row: dict[str, Any], name: str, *, everything: bool) -> None:
    found = row["result"]["feedback"]
    say(f"{name} run {row['run']}: {headline(row)}")
    for line in (*read_out(found), *gates(found)):
        say(f"  {line}")
    told = list(checks(found, everything=everything))
    if told:
        tabulate(told, COLUMNS)
    else:
        say(f"  {found.get('note', 'every check that was reached is met')}")


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
    say(_board_line(document, version))
    primary = document["columns"][0]
    rows = [_row(row, primary) for row in document["rows"]]
    tabulate(rows, ("rank", "system", "organisation", primary["label"], "95 %", "attempts", "status"))


def _board_line(document: dict[str, Any], version: str) -> str:
    method = document["method"]
    by = f"judge {method['judge']} {method['model']}".rstrip() if method["judge"] else "nothing is ranked yet"
    marks = [MARKS.get(mark, mark) for mark in method["marks"]] if method["judge"] else []
    published = f"published {moment(document['board']['published_at'])}"
    return "; ".join([f"{document['task_set']['title']} {version}", published, by, *marks])


def _row(row: dict[str, Any], primary: dict[str, Any]) -> dict[str, Any]:
    interval, value = row["intervals"].get(primary["key"]), row["values"].get(primary["key"])
    places = primary["decimals"]
    why = [*(mark for mark in row["marks"] if mark == "flagged"), *row["reasons"]]
    return {
        **row,
        "organisation": row["system"]["organisation"],
        primary["label"]: None if value is None else f"{value:.{places}f}",
        "95 %": f"{interval[0]:.{places}f} to {interval[1]:.{places}f}" if interval else None,
        "status": row["status"] + (f" ({', '.join(why)})" if why else ""),
    }


def _follow(client: Client, submission_id: str, seconds: float, *, as_json: bool) -> None:
    """Show every step.

    :raises typer.Exit: it did not end with scores, or not within the time.
    """
    last: dict[str, Any] = {}
    try:
        for last in client.watch(submission_id, seconds=seconds):
            _show(last, as_json=as_json, briefly=last["state"] not in SETTLED)
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


def _show(submission: dict[str, Any], *, as_json: bool, briefly: bool = False) -> None:
    if as_json:
        dump(submission)
        return
    given, expected = submission["answers"]["given"], submission["answers"]["expected"]
    say(f"{submission['state']}: {given} of {expected} answers given")
    for line in standing(submission, briefly=briefly):
        say(f"  {line}")
    if submission["scores"] and submission["task_set"]["split"] == "dev":
        say(f"  where points were lost: evalservice feedback {submission['id']}")
