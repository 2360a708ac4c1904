"""What must hold before work is done: ``manage.py check`` says it, and the worker refuses to start without.

``manage.py check --deploy --database default`` also looks at what an operator prepares: the tables and the static files.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, DatabaseError
from django.utils.module_loading import import_string

from evalservice import preparation
from judging.profile_checks import profile_messages
from judging.search.settings_checks import search_messages


def check_pipeline(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every step of ``PIPELINE`` names a callable that imports."""
    faults: list[CheckMessage] = []
    for step, path in settings.PIPELINE.items():
        try:
            target = import_string(path)
        except ImportError as error:
            faults.append(Error(f"PIPELINE[{step!r}] = {path!r}: {error}", id="evalservice.E001"))
            continue
        if not callable(target):
            faults.append(Error(f"PIPELINE[{step!r}] = {path!r} cannot be called.", id="evalservice.E002"))
    return faults


def check_queue(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """``timeout < retry`` and a bounded number of attempts, or a long job restarts for ever."""
    queue = settings.Q_CLUSTER
    faults: list[CheckMessage] = []
    if queue["retry"] <= queue["timeout"]:
        faults.append(Error("Q_CLUSTER: retry must exceed timeout.", id="evalservice.E003"))
    if queue["max_attempts"] < 1:
        faults.append(Error("Q_CLUSTER: max_attempts must be at least 1.", id="evalservice.E004"))
    config = settings.EVALSERVICE
    asking = max(config["FETCH_SECONDS"], config["MODEL"]["timeout_s"])
    longest = config["SLICE_SECONDS"] + asking + config["CLOSING_SECONDS"]
    if longest >= queue["timeout"]:
        why = (
            f"A slice may last {longest} s (EVALSERVICE_SLICE_SECONDS, a page's {config['FETCH_SECONDS']} s or "
            f"EVALSERVICE_MODEL_TIMEOUT, and {config['CLOSING_SECONDS']} s to close), "
            f"but the queue kills a worker after {queue['timeout']} s."
        )
        faults.append(Error(why, id="evalservice.E005"))
    return faults


def check_judge(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """The ``openai`` judge needs an endpoint's key and a model."""
    config = settings.EVALSERVICE
    if config["JUDGE"] != "openai":
        return []
    missing = [
        name
        for name, value in (
            ("OPENAI_API_KEY", config["OPENAI_API_KEY"]),
            ("EVALSERVICE_JUDGE_MODEL", config["JUDGE_PROFILE"] or config["JUDGE_MODEL"]),
        )
        if not value
    ]
    hint = "Where the endpoint asks for no key, any text will do as OPENAI_API_KEY."
    return [
        Error(f"EVALSERVICE_JUDGE=openai needs {name}.", hint=hint, id="evalservice.E006") for name in missing
    ]


def check_profile(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """The file of the judge's profile describes one."""
    return list(profile_messages(settings.EVALSERVICE, settings.Q_CLUSTER))


def check_search(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A search provider that is switched on has what it needs; nothing else is asked by accident."""
    return list(search_messages(settings.EVALSERVICE["SEARCH"]))


def check_tables(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The database answers and has every migration. ``migrate`` itself is not told to run ``migrate`` first."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    try:
        missing = preparation.unapplied_migrations()
    except DatabaseError as error:
        why = f"{preparation.NO_DATABASE.what} {error}".strip()
        return [Error(why, hint=preparation.NO_DATABASE.remedy, id="evalservice.E007")]
    if not missing or sys.argv[1:2] == ["migrate"]:
        return []
    why = f"{preparation.NO_TABLES.what} Migrations to apply: {len(missing)}, from {missing[0]} on."
    return [Error(why, hint=preparation.NO_TABLES.remedy, id="evalservice.E008")]


def check_static_files(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every static file was collected, and has not changed since."""
    found = (
        (preparation.uncollected_files(), preparation.NO_FILES.what, "evalservice.E009"),
        (
            preparation.outdated_files(),
            "Static files have changed since they were collected.",
            "evalservice.E010",
        ),
    )
    return [
        Error(f"{what} Files: {len(names)}, such as {names[0]}.", hint=preparation.NO_FILES.remedy, id=ident)
        for names, what, ident in found
        if names
    ]
