"""Reading the environment: one place, loud errors, secrets also from files.

Every variable has the prefix ``EVALSERVICE_`` but for those other tools define (``DATABASE_URL``,
``REDIS_URL``, ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``). ``NAME_FILE`` holds the path of a file with the value, as
container secrets do.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import environ as django_environ
from django.core.exceptions import ImproperlyConfigured

SQLITE = "django.db.backends.sqlite3"
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?")


def read(name: str, default: str = "", *, environ: Mapping[str, str] = os.environ) -> str:
    """The value of ``name``, or of the file that ``name_FILE`` points to.

    :raises ImproperlyConfigured: both are set, or the file cannot be read as text.
    """
    path = environ.get(f"{name}_FILE")
    if path is None:
        return environ.get(name, default)
    if name in environ:
        raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ImproperlyConfigured(f"{name}_FILE: {path} is not text in UTF-8.") from error


def flag(name: str, default: bool, *, environ: Mapping[str, str] = os.environ) -> bool:
    """``1 true yes on`` / ``0 false no off``, any case.

    :raises ImproperlyConfigured: the value is neither.
    """
    value = read(name, "", environ=environ).strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise ImproperlyConfigured(f"{name}={value!r}: say 1 or 0.")
    return default


def integer(name: str, default: int, *, low: int, high: int, environ: Mapping[str, str] = os.environ) -> int:
    """A whole number within ``[low, high]``.

    :raises ImproperlyConfigured: not a number, or out of range.
    """
    raw = read(name, "", environ=environ).strip()
    if not raw:
        return default
    # int() takes more than people mean: underscores, other scripts' digits.
    if not _WHOLE.fullmatch(raw):
        raise ImproperlyConfigured(f"{name}={raw!r}: a whole number is needed.")
    value = int(raw)
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name}={value}: must lie between {low} and {high}.")
    return value


def number(
    name: str, default: float, *, low: float, high: float, environ: Mapping[str, str] = os.environ
) -> float:
    """A number within ``[low, high]``, written with digits and at most one point.

    :raises ImproperlyConfigured: not a number, or out of range.
    """
    raw = read(name, "", environ=environ).strip()
    if not raw:
        return default
    if not _DECIMAL.fullmatch(raw):
        raise ImproperlyConfigured(f"{name}={raw!r}: a number is needed, like 2.50.")
    value = float(raw)
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name}={raw}: must lie between {low:g} and {high:g}.")
    return value


def choice(
    name: str, default: str, allowed: tuple[str, ...], *, environ: Mapping[str, str] = os.environ
) -> str:
    """One of ``allowed``.

    :raises ImproperlyConfigured: anything else.
    """
    value = read(name, default, environ=environ).strip() or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r}: choose one of {', '.join(allowed)}.")
    return value


def listed(name: str, default: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Words between commas, without the space around them."""
    return [word.strip() for word in read(name, default, environ=environ).split(",") if word.strip()]


def networks(name: str, *, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Addresses and networks between commas, as networks.

    :raises ImproperlyConfigured: one of them is neither.
    """
    try:
        return [str(ipaddress.ip_network(word)) for word in listed(name, "", environ=environ)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from error


def prices(name: str, *, environ: Mapping[str, str] = os.environ) -> dict[str, dict[str, float]]:
    """A JSON object: for each model its US dollars per million tokens, ``prompt``, ``completion`` and ``cached``
    (prompt tokens; may be left out).

    :raises ImproperlyConfigured: something else, or a price that is no price.
    """
    raw = read(name, "", environ=environ).strip()
    try:
        table = json.loads(raw) if raw else {}
        return {str(model): _price(given) for model, given in table.items()}
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        example = '{"model": {"prompt": 0.4, "cached": 0.1, "completion": 1.6}}'
        raise ImproperlyConfigured(
            f"{name}: dollars per million tokens are needed, like {example}."
        ) from error


def _price(given: Mapping[str, float]) -> dict[str, float]:
    price = {kind: float(value) for kind, value in given.items()}
    if not {"prompt", "completion"} <= set(price) <= {"prompt", "cached", "completion"}:
        raise KeyError
    if not all(0 <= value < math.inf for value in price.values()):
        raise ValueError
    return price


def folder(name: str, default: Path, *, environ: Mapping[str, str] = os.environ) -> Path:
    """An absolute path; the folder is made if it is not there, for its owner alone: it will hold rubrics.

    :raises ImproperlyConfigured: it cannot be made.
    """
    path = Path(read(name, "", environ=environ).strip() or default).resolve()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: cannot make the folder {path}: {error.strerror}") from error
    return path


def database(url: str, *, sqlite: Path) -> dict[str, Any]:
    """Django's description of the database at ``DATABASE_URL``; the file ``sqlite`` where that is not set.

    :raises ImproperlyConfigured: it is no database of a kind that is tested here. The URL may hold a password, so
        it is not repeated.
    """
    if not url:
        return {"ENGINE": SQLITE, "NAME": str(sqlite)}
    config: dict[str, Any] = {}
    if url.startswith(("sqlite://", "postgres://", "postgresql://")):
        config = django_environ.Env.db_url_config(url)
    if not config.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL: postgres://user:password@host/name or sqlite:////path is needed."
        )
    return config


def derived_key(secret: str, purpose: str) -> str:
    """A key for one purpose alone, so that no key is used for two things. 64 hex digits."""
    return hashlib.sha256(f"{purpose}\0{secret}".encode()).hexdigest()
