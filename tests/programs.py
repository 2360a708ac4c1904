"""Running the service's own programs in processes of their own, in an environment that holds nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def clean_environment(var: Path, **variables: str) -> dict[str, str]:
    """No variable of ours but those given; what a process needs to be measured is passed on."""
    measured = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    # PYTHONDEVMODE is off and warnings are errors, as in the tests themselves.
    return {
        "PATH": os.environ["PATH"], "HOME": str(var), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        "EVALSERVICE_VAR": str(var), **measured, **variables,
    }  # fmt: skip


def run(
    *arguments: str, env: Mapping[str, str], cwd: Path = ROOT, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Python with ``arguments``, to its end; output as text."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, timeout=timeout, text=True, encoding="utf-8",
        capture_output=True, check=False,
    )  # fmt: skip


def manage(*arguments: str, env: Mapping[str, str], timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """``manage.py`` with ``arguments``."""
    return run("manage.py", *arguments, env=env, timeout=timeout)
