"""The settings in clean environments: what starts, what refuses to and with which sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from judging.search.interface import ProviderName
from tests.programs import ROOT, clean_environment, manage, run

SECRET = "s3cret-" * 8
DEMO = {"EVALSERVICE_DEMO": "1"}
SERVING = {"EVALSERVICE_SECRET_KEY": SECRET, "EVALSERVICE_HOSTS": "eval.example.org"}


class Probe:
    """Reads the settings in a process of its own."""

    def __init__(self, var: Path) -> None:
        self.var = var

    def cases(
        self, environments: Sequence[dict[str, str]], *wanted: str, command: str = ""
    ) -> list[dict[str, Any]]:
        """What becomes of each environment."""
        argv = ["manage.py", command] if command else ["gunicorn", "evalservice.wsgi"]
        base = clean_environment(self.var)
        cases = [{"environ": base | more, "argv": argv, "wanted": wanted} for more in environments]
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "tests.integration.evalservice.settings_probe"],
            input=json.dumps(cases), cwd=ROOT, env=base, text=True, capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    def values(self, environment: dict[str, str], *wanted: str) -> dict[str, Any]:
        """The settings of one environment that must be accepted."""
        (found,) = self.cases([environment], *wanted)
        values: dict[str, Any] = found["settings"]
        return values


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """A probe with a folder of its own."""
    return Probe(tmp_path)


# ------------------------------------------------------------------ refusals
REFUSALS = [
    ({}, "EVALSERVICE_SECRET_KEY is not set"),
    ({"EVALSERVICE_SECRET_KEY": ""}, "EVALSERVICE_SECRET_KEY is not set"),
    ({"EVALSERVICE_DEMO": "0"}, "EVALSERVICE_SECRET_KEY is not set"),
    ({**DEMO, "EVALSERVICE_HOSTS": "localhost,eval.example.org"}, "EVALSERVICE_SECRET_KEY is not set"),
    ({"EVALSERVICE_SECRET_KEY": "changeme"}, "EVALSERVICE_SECRET_KEY can be guessed"),
    ({**DEMO, "EVALSERVICE_SECRET_KEY": "changeme"}, "EVALSERVICE_SECRET_KEY can be guessed"),
    ({**SERVING, "EVALSERVICE_SECRET_KEY_FILE": "/x"}, "Set EVALSERVICE_SECRET_KEY or EVALSERVICE_SECRET_KEY_FILE, not both"),
    ({"EVALSERVICE_SECRET_KEY_FILE": "/nowhere/key"}, "EVALSERVICE_SECRET_KEY_FILE: cannot read /nowhere/key"),
    ({**SERVING, "EVALSERVICE_HOSTS": "*"}, "EVALSERVICE_HOSTS: name your hosts"),
    ({**SERVING, "EVALSERVICE_HOSTS": "a.example.org, *"}, "EVALSERVICE_HOSTS: name your hosts"),
    ({**DEMO, "EVALSERVICE_HOSTS": "*"}, "EVALSERVICE_HOSTS: name your hosts"),
    ({"EVALSERVICE_DEMO": "please"}, "EVALSERVICE_DEMO='please': say 1 or 0"),
    ({**SERVING, "EVALSERVICE_HTTPS": "2"}, "EVALSERVICE_HTTPS='2'"),
    ({**SERVING, "EVALSERVICE_JUDGE": "gpt"}, "EVALSERVICE_JUDGE='gpt': choose one of lexical, openai"),
    ({**SERVING, "EVALSERVICE_PAGES": "cached"}, "EVALSERVICE_PAGES='cached'"),
    ({**SERVING, "EVALSERVICE_SEARCH": "bing"}, f"EVALSERVICE_SEARCH='bing': choose one of {', '.join(ProviderName)}"),
    ({**SERVING, "EVALSERVICE_SEARCH_QUERIES": "4"}, "EVALSERVICE_SEARCH_QUERIES=4: must lie between 1 and 3"),
    ({**SERVING, "EVALSERVICE_SEARCH_RESULTS": "11"}, "EVALSERVICE_SEARCH_RESULTS=11: must lie between 1 and 10"),
    ({**SERVING, "EVALSERVICE_PUBLISH": "hourly"}, "EVALSERVICE_PUBLISH='hourly'"),
    ({**SERVING, "EVALSERVICE_LOG_LEVEL": "LOUD"}, "EVALSERVICE_LOG_LEVEL='LOUD'"),
    ({**SERVING, "DATABASE_URL": "mysql://root:s3cret@db/eval"}, "DATABASE_URL: postgres://"),
    ({**SERVING, "EVALSERVICE_VAR": "/proc/none"}, "EVALSERVICE_VAR: cannot make the folder /proc/none"),
    *[
        ({**SERVING, name: value}, f"{name}=")
        for name in (
            "EVALSERVICE_WORKERS", "EVALSERVICE_PROXIES", "EVALSERVICE_ANSWER_BYTES", "EVALSERVICE_BUNDLE_BYTES",
            "EVALSERVICE_BUNDLE_FILES", "EVALSERVICE_BUNDLE_RATIO", "EVALSERVICE_URLS_PER_ANSWER",
            "EVALSERVICE_IN_FLIGHT", "EVALSERVICE_MODEL_TIMEOUT", "EVALSERVICE_MODEL_ATTEMPTS",
            "EVALSERVICE_MODEL_BUDGET", "EVALSERVICE_SLICE_SECONDS", "EVALSERVICE_LEASE_SECONDS",
            "EVALSERVICE_SHARD_ANSWERS", "EVALSERVICE_READS_PER_MINUTE", "EVALSERVICE_WRITES_PER_MINUTE",
            "EVALSERVICE_ANSWERS_PER_MINUTE", "EVALSERVICE_UPLOADS_PER_MINUTE",
        )
        for value in ("-1", "many", "1e3", "99999999999")
    ],
]  # fmt: skip


def test_what_is_missing_or_odd_is_refused_by_name(probe: Probe) -> None:
    found = probe.cases([environment for environment, _ in REFUSALS])
    assert len(found) == len(REFUSALS)
    for (environment, sentence), outcome in zip(REFUSALS, found, strict=True):
        assert outcome.get("refused", "accepted").startswith(sentence), environment
        assert "s3cret" not in outcome["refused"]


def test_every_command_that_serves_or_stores_refuses_to_start_without_a_secret(tmp_path: Path) -> None:
    environment = clean_environment(tmp_path)
    for command in ("migrate", "worker", "check", "issue_key"):
        done = manage(command, env=environment)
        assert done.returncode == 1, command
        assert done.stderr.startswith("EVALSERVICE_SECRET_KEY is not set. Make one with\n"), command
        assert "Traceback" not in done.stderr
    web = run("-c", "import evalservice.wsgi", env=environment)
    assert web.returncode == 1
    assert "ImproperlyConfigured: EVALSERVICE_SECRET_KEY is not set" in web.stderr


def test_a_traceback_is_there_for_those_who_ask(tmp_path: Path) -> None:
    done = manage("migrate", "--traceback", env=clean_environment(tmp_path))
    assert done.returncode == 1
    assert "Traceback" in done.stderr


# ------------------------------------------------------------------ commands without secrets
@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("states",), "stateDiagram-v2"),
        (("cited_urls", "examples/expeditions/answers/meridian/huts/answer_1.md"), "https://"),
        (("taskset", "lint", "examples/briefings/taskset"), ""),
        (("export_rubric_schema",), '"$schema"'),
        (("spectacular", "--validate"), "openapi: 3.1"),
        (("makemigrations", "--check", "--dry-run"), "No changes detected"),
        (("help", "score"), "score"),
    ],
)
def test_commands_that_read_and_print_need_no_settings(
    tmp_path: Path, arguments: tuple[str, ...], output: str
) -> None:
    done = manage(*arguments, env=clean_environment(tmp_path))
    assert done.returncode == 0, done.stderr
    assert output in done.stdout


# ------------------------------------------------------------------ what is accepted
def test_a_secret_may_come_from_a_file(probe: Probe, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{SECRET}\n")
    assert probe.values({"EVALSERVICE_SECRET_KEY_FILE": str(file)}, "SECRET_KEY") == {"SECRET_KEY": SECRET}


def test_the_demonstration_needs_nothing_and_leaves_this_machine_in_no_way(probe: Probe) -> None:
    values = probe.values(DEMO, "ALLOWED_HOSTS", "EVALSERVICE", "CACHES", "DATABASES", "Q_CLUSTER", "DEBUG")
    assert values["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert values["EVALSERVICE"]["JUDGE"] == "lexical"
    assert values["EVALSERVICE"]["PAGES"] == "archive"
    assert values["EVALSERVICE"]["PUBLISH"] == "immediate"
    assert values["CACHES"]["default"]["BACKEND"].endswith("LocMemCache")
    assert values["DATABASES"]["default"]["NAME"] == str(probe.var / "db.sqlite3")
    assert values["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert values["Q_CLUSTER"]["orm"] == "default"
    assert values["DEBUG"] is False


def test_serving_is_careful_by_default(probe: Probe) -> None:
    values = probe.values(
        SERVING, "ALLOWED_HOSTS", "EVALSERVICE", "DEBUG", "STORAGES", "WHITENOISE_USE_FINDERS"
    )
    assert values["ALLOWED_HOSTS"] == ["eval.example.org"]
    assert values["EVALSERVICE"]["PAGES"] == "live"
    assert values["EVALSERVICE"]["PUBLISH"] == "daily"
    assert values["DEBUG"] is False
    assert "Manifest" in values["STORAGES"]["staticfiles"]["BACKEND"]
    assert values["WHITENOISE_USE_FINDERS"] is False


def test_https_turns_on_everything_that_belongs_to_it(probe: Probe) -> None:
    names = (
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_SSL_REDIRECT",
        "SECURE_HSTS_SECONDS",
        "CSRF_TRUSTED_ORIGINS",
    )
    plain, https = probe.cases(
        [SERVING, {**SERVING, "EVALSERVICE_HTTPS": "1", "EVALSERVICE_HOSTS": "a.example.org,.b.example.org"}],
        *names,
    )
    assert list(plain["settings"].values()) == [False, False, False, 0, []]
    assert list(https["settings"].values()) == [
        True, True, True, 31_536_000, ["https://a.example.org", "https://*.b.example.org"],
    ]  # fmt: skip


def test_the_header_of_a_proxy_counts_only_behind_one(probe: Probe) -> None:
    behind = probe.values({**SERVING, "EVALSERVICE_BEHIND_PROXY": "1"}, "SECURE_PROXY_SSL_HEADER")
    assert behind == {"SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"]}
    done = run("-c", "from evalservice import settings; print(hasattr(settings, 'SECURE_PROXY_SSL_HEADER'))",
               env=clean_environment(probe.var, **SERVING))  # fmt: skip
    assert done.stdout == "False\n"


def test_two_variables_move_the_service_to_postgresql_and_redis(probe: Probe) -> None:
    growing = {**SERVING, "DATABASE_URL": "postgres://u:p@db/eval", "REDIS_URL": "redis://cache:6379/0"}
    values = probe.values(growing, "DATABASES", "CACHES", "Q_CLUSTER")
    assert values["DATABASES"]["default"]["ENGINE"] == "django.db.backends.postgresql"
    assert values["DATABASES"]["default"]["CONN_HEALTH_CHECKS"] is True
    assert values["CACHES"]["default"]["LOCATION"] == values["Q_CLUSTER"]["redis"] == "redis://cache:6379/0"
    assert "orm" not in values["Q_CLUSTER"]


def test_the_largest_answer_passes_as_a_request_whatever_the_limit(probe: Probe) -> None:
    values = probe.values(
        {**SERVING, "EVALSERVICE_ANSWER_BYTES": "64000000"}, "DATA_UPLOAD_MAX_MEMORY_SIZE", "EVALSERVICE"
    )
    assert values["EVALSERVICE"]["LIMITS"]["answer_bytes"] == 64_000_000
    assert values["DATA_UPLOAD_MAX_MEMORY_SIZE"] > 6 * 64_000_000


def test_the_key_of_the_fences_is_not_the_secret_itself(probe: Probe) -> None:
    one, other = probe.cases([SERVING, {**SERVING, "EVALSERVICE_SECRET_KEY": SECRET[::-1]}], "EVALSERVICE")
    keys = {case["settings"]["EVALSERVICE"]["FENCE_KEY"] for case in (one, other)}
    assert len(keys) == 2
    assert SECRET not in keys
