"""The service as production runs it, no demo settings: what it says until its operator has prepared everything."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.programs import clean_environment, manage, run

pytestmark = pytest.mark.installation

MIGRATE, COLLECT = "Run manage.py migrate.", "Run manage.py collectstatic --noinput"
CHECK = ("check", "--deploy", "--database", "default")
GET = """
import json, sys
import django; django.setup()
from django.test import Client
client = Client(headers={"host": "localhost"}, raise_request_exception=False)
answers = {path: client.get(path) for path in sys.argv[1:]}
print(json.dumps({path: [one.status_code, dict(one.headers), one.content.decode()] for path, one in answers.items()}))
"""


class Production:
    """An installation in a folder of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.environment = clean_environment(
            folder,
            EVALSERVICE_SECRET_KEY="a secret of this test alone " * 2,
            DJANGO_SETTINGS_MODULE="evalservice.settings",
            **variables,
        )

    def manage(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """``manage.py``, which must end with ``status``."""
        done = manage(*arguments, env=self.environment)
        assert done.returncode == status, done.stderr
        return done

    def get(self, *paths: str) -> dict[str, tuple[int, dict[str, str], str]]:
        """Status, headers and text of every path, from one web process."""
        done = run("-c", GET, *paths, env=self.environment)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return {path: (status, headers, text) for path, (status, headers, text) in found.items()}


@dataclass(frozen=True)
class Prepared:
    """What an operator's two commands made and said."""

    folder: Path
    migrated: str
    collected: str

    def give(self, production: Production, *names: str) -> None:
        """Copy ``db.sqlite3`` or ``static`` to another installation: made once, they are the same everywhere."""
        for name in names:
            source, target = self.folder / name, production.folder / name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """An installation whose operator has run both commands."""
    whole = Production(tmp_path_factory.mktemp("prepared"))
    migrated, collected = whole.manage("migrate"), whole.manage("collectstatic", "--noinput")
    return Prepared(whole.folder, migrated.stdout + migrated.stderr, collected.stdout)


@pytest.fixture
def production(tmp_path: Path) -> Production:
    """Nothing is prepared."""
    return Production(tmp_path)


def assert_not_ready(answer: tuple[int, dict[str, str], str]) -> str:
    """The text of a 503 that nobody keeps and that says when to come again."""
    status, headers, text = answer
    assert status == 503
    assert headers["Retry-After"] == "60"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Security-Policy"]
    return text


def test_a_web_process_for_which_nothing_was_prepared_says_what_to_run(production: Production) -> None:
    pages = ("/", "/method/", "/none/", "/api/", "/admin/login/", "/favicon.ico")
    api = "/api/v1/task-sets"
    answers = production.get(*pages, api, "/healthz", "/readyz")
    for page in pages:
        text = assert_not_ready(answers[page])
        if page != "/api/":
            assert "<h1>The service is not ready</h1>" in text, page
            assert MIGRATE in text, page
            assert COLLECT in text, page
            assert "/static/" not in text, page
    problem = json.loads(assert_not_ready(answers[api]))
    assert answers[api][1]["Content-Type"] == "application/problem+json"
    assert [error["code"] for error in problem["errors"]] == ["not_ready"]
    assert "was not prepared" in problem["detail"]
    assert answers["/healthz"][0] == 200
    assert answers["/readyz"][0] == 503
    assert json.loads(answers["/readyz"][2]) == {"status": "database not migrated"}


def test_a_web_process_without_tables_says_so_and_looks_as_ever(
    production: Production, prepared: Prepared
) -> None:
    assert "static files copied" in prepared.collected
    prepared.give(production, "static")
    answers = production.get("/", "/none/")
    text = assert_not_ready(answers["/"])
    assert 'href="/static/board.' in text
    assert MIGRATE in text
    assert COLLECT not in text
    assert answers["/none/"][0] == 404


def test_a_web_process_without_static_files_says_so(production: Production, prepared: Prepared) -> None:
    prepared.give(production, "db.sqlite3")
    answers = production.get("/", "/readyz", "/api/v1/task-sets")
    text = assert_not_ready(answers["/"])
    assert COLLECT in text
    assert MIGRATE not in text
    assert json.loads(answers["/readyz"][2]) == {"status": "static files not collected"}
    assert answers["/api/v1/task-sets"][0] == 200


def test_a_prepared_installation_serves(production: Production, prepared: Prepared) -> None:
    prepared.give(production, "db.sqlite3", "static")
    answers = production.get("/", "/readyz", "/api/", "/admin/login/", "/none/", "/api/v1/task-sets")
    assert [status for status, _, _ in answers.values()] == [200, 200, 200, 200, 404, 200]
    assert 'href="/static/board.' in answers["/"][2]
    assert "evalservice." not in production.manage(*CHECK).stderr


def test_a_database_that_does_not_answer_is_said_too(tmp_path: Path, prepared: Prepared) -> None:
    production = Production(tmp_path, DATABASE_URL="postgres://nobody@127.0.0.1:1/none")
    prepared.give(production, "static")
    answers = production.get("/", "/readyz")
    assert "The database does not answer." in assert_not_ready(answers["/"])
    assert json.loads(answers["/readyz"][2]) == {"status": "database unavailable"}
    assert "evalservice.E007" in production.manage(*CHECK, status=1).stderr


def test_the_checks_name_what_to_run(production: Production) -> None:
    production.manage("check")
    deploying = production.manage("check", "--deploy", status=1).stderr
    assert "evalservice.E009" in deploying
    assert COLLECT in deploying
    assert "evalservice.E008" not in deploying
    both = production.manage(*CHECK, status=1).stderr
    assert "evalservice.E009" in both
    assert "evalservice.E008" in both
    assert MIGRATE in both


def test_migrate_is_not_told_to_migrate_first(prepared: Prepared) -> None:
    assert "Applying judging.0001_initial" in prepared.migrated
    assert "evalservice.E008" not in prepared.migrated


def test_a_worker_without_tables_does_not_start(production: Production) -> None:
    done = production.manage("worker", status=1)
    assert "evalservice.E008" in done.stderr
    assert MIGRATE in done.stderr


def test_static_files_that_have_changed_since_they_were_collected_are_a_fault(
    production: Production, prepared: Prepared
) -> None:
    prepared.give(production, "db.sqlite3", "static")
    production.folder.joinpath("static", "board.css").write_text("/* of the version before */")
    found = production.manage(*CHECK, status=1).stderr
    assert "evalservice.E010" in found
    assert "such as board.css" in found
    assert COLLECT in found
