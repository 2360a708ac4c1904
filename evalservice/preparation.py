"""What an operator does before the service can serve, and whether it has been done: the tables, the static files.

``manage.py check`` says it beforehand (:mod:`evalservice.checks`); a web process that was started all the same says it
to whoever asks (:func:`evalservice.api.server_error`).
"""

from __future__ import annotations

import filecmp
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor


@dataclass(frozen=True, slots=True)
class Missing:
    """Something without which nothing can be served: as a status, as a sentence, and what the operator does about it."""

    status: str
    what: str
    remedy: str


NO_DATABASE = Missing(
    "database unavailable",
    "The database does not answer.",
    "Look whether it runs, and at DATABASE_URL.",
)
NO_TABLES = Missing(
    "database not migrated",
    "The database was not prepared for this version of the service.",
    "Run manage.py migrate.",
)
NO_FILES = Missing(
    "static files not collected",
    "The static files of the pages were not collected.",
    "Run manage.py collectstatic --noinput, then start the web process again.",
)


def unapplied_migrations() -> list[str]:
    """The migrations that the code needs and the database has not seen, in the order of their application.

    :raises DatabaseError: the database does not answer.
    """
    executor = MigrationExecutor(connection)
    return [str(migration) for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def uncollected_files() -> list[str]:
    """Static files that pages may name and this process cannot serve. None where they are served as they lie."""
    manifest = _manifest()
    return [] if manifest is None else [name for name, _ in _static_files() if name not in manifest]


def outdated_files() -> list[str]:
    """Static files that were collected and have changed since then."""
    root = Path(settings.STATIC_ROOT)
    return [
        name
        for name, source in (_static_files() if _manifest() is not None else ())
        if (root / name).is_file() and not filecmp.cmp(root / name, source, shallow=False)
    ]


def _manifest() -> Mapping[str, str] | None:
    """The names under which files were collected, as this process read them when it started."""
    found: Mapping[str, str] | None = getattr(staticfiles_storage, "hashed_files", None)
    return found


def _static_files() -> Iterable[tuple[str, Path]]:
    """What ``collectstatic`` collects: the name in an address, and where the file lies. The first of a name counts."""
    found: dict[str, Path] = {}
    for finder in get_finders():
        for name, storage in finder.list(StaticFilesConfig.ignore_patterns):
            found.setdefault(name, Path(storage.path(name)))
    return found.items()


def missing() -> list[Missing]:
    """Everything that was not prepared."""
    return [*_missing_of_database(), *([NO_FILES] if uncollected_files() else [])]


def missing_for(error: BaseException | None) -> list[Missing]:
    """The same, if it can be why ``error`` was raised. Otherwise nothing is asked of the database."""
    # A static file that was not collected raises nothing more particular than a ValueError.
    return missing() if isinstance(error, DatabaseError | ValueError) else []


def _missing_of_database() -> list[Missing]:
    try:
        return [NO_TABLES] if unapplied_migrations() else []
    except DatabaseError:
        return [NO_DATABASE]
