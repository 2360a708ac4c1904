"""Reads the settings anew for each environment that it is given as JSON, and says what became of it.

In a process of its own: what settings do to a process (logging, patches) must not meet other tests.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

SETTINGS = Path(__file__).resolve().parents[3] / "evalservice" / "settings.py"


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """``refused`` with the sentence, or the values of ``wanted`` in ``settings``."""
    os.environ.clear()
    os.environ.update(case["environ"])
    sys.argv[:] = case["argv"]
    try:
        settings = runpy.run_path(str(SETTINGS))
    except ImproperlyConfigured as error:
        return {"refused": str(error)}
    return {"settings": {name: settings[name] for name in case["wanted"]}}


if __name__ == "__main__":
    json.dump([outcome(case) for case in json.load(sys.stdin)], sys.stdout)
