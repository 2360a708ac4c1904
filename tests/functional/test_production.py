"""The pages as production serves them: collected static files, no demo settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GET = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.test import Client
answer = Client(headers={"host": "localhost"}).get("/")
print(answer.status_code, 'href="/static/board.' in answer.content.decode())
"""


def production(folder: Path, *arguments: str) -> str:
    """What a process of production prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVALSERVICE_")}
    environ = {
        **kept,
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "EVALSERVICE_SECRET_KEY": "a secret of this test alone " * 2,
        "EVALSERVICE_VAR": str(folder),
        "EVALSERVICE_STATIC": str(folder / "collected"),
        "DJANGO_SETTINGS_MODULE": "evalservice.settings",
    }
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_collected_static_files_serve_every_page(tmp_path: Path) -> None:
    assert "static files copied" in production(tmp_path, "manage.py", "collectstatic", "--noinput")
    assert production(tmp_path, "-c", GET).split() == ["200", "True"]
