"""All settings, from the environment; a missing or odd value stops the process with a sentence that says what to do.

``EVALSERVICE_DEMO=1`` (what ``make demo`` and the tests set) allows running without secrets, on this machine only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from evalservice import env
from evalservice.log_config import logging_config
from submissions.problems import MAX_FAULTS

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = env.folder("EVALSERVICE_VAR", BASE_DIR / "var")
DEMO = env.flag("EVALSERVICE_DEMO", False)
DEBUG = env.flag("EVALSERVICE_DEBUG", False)

# ---------------------------------------------------------------- secrets and hosts
SECRET_LENGTH = 32
# One-shot commands that read files and print (score, cited_urls, taskset lint …) need no secret; what serves does.
_SECRETLESS_COMMANDS = {"score", "cited_urls", "taskset", "export_rubric_schema", "profile", "states", "spectacular",
                        "makemigrations", "collectstatic", "help"}  # fmt: skip
_command = sys.argv[1] if len(sys.argv) > 1 and Path(sys.argv[0]).name == "manage.py" else ""
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
ALLOWED_HOSTS = env.listed("EVALSERVICE_HOSTS", "localhost,127.0.0.1,[::1]")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("EVALSERVICE_HOSTS: name your hosts; '*' would let any Host header through.")
SECRET_KEY = env.read("EVALSERVICE_SECRET_KEY")
if not SECRET_KEY:
    # The stand-in is public: whoever knows it can sign a session, so it never serves but on this machine.
    if not (DEMO and _LOOPBACK.issuperset(ALLOWED_HOSTS)) and _command not in _SECRETLESS_COMMANDS:
        raise ImproperlyConfigured(
            "EVALSERVICE_SECRET_KEY is not set. Make one with\n"
            "  python -c 'import secrets; print(secrets.token_urlsafe(48))'\n"
            "and keep it out of the repository; or set EVALSERVICE_DEMO=1 to try the service on this machine."
        )
    SECRET_KEY = "demo-only-never-in-production-" + "0" * 24
elif len(SECRET_KEY) < SECRET_LENGTH:
    raise ImproperlyConfigured(
        f"EVALSERVICE_SECRET_KEY can be guessed: give it {SECRET_LENGTH} characters or more."
    )
HTTPS = env.flag("EVALSERVICE_HTTPS", False)
# A host ".example.org" stands for all below it, which an origin writes "https://*.example.org".
CSRF_TRUSTED_ORIGINS = [f"https://{'*' if h.startswith('.') else ''}{h}" for h in ALLOWED_HOSTS if HTTPS]

# ---------------------------------------------------------------- applications
INSTALLED_APPS = [
    "evalservice.apps.EvalserviceConfig",
    "submissions.apps.SubmissionsConfig",
    "judging.apps.JudgingConfig",
    "leaderboard.apps.LeaderboardConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_q",
    "csp",
]
MIDDLEWARE = [
    "evalservice.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "evalservice.middleware.NulMiddleware",  # its refusals carry the headers of the three above
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "evalservice.urls"
WSGI_APPLICATION = "evalservice.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# ---------------------------------------------------------------- database
DATABASE_URL = env.read("DATABASE_URL").strip()
_database = env.database(DATABASE_URL, sqlite=VAR_DIR / "db.sqlite3")
if _database["ENGINE"] == env.SQLITE:
    # WAL + IMMEDIATE + a patient timeout: no "database is locked" under several writers (docs/adr).
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
        " PRAGMA cache_size=-16000; PRAGMA mmap_size=134217728; PRAGMA foreign_keys=ON;",
    }
    _database["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
else:
    _database["CONN_MAX_AGE"] = 60
    _database["CONN_HEALTH_CHECKS"] = True
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# ---------------------------------------------------------------- cache and queue
REDIS_URL = env.read("REDIS_URL")
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}
# A message is a wake-up that carries ids; the truth, with its lease, is a Job row (docs/adr).
Q_CLUSTER: dict[str, Any] = {
    "name": "evalservice",
    "workers": env.integer("EVALSERVICE_WORKERS", 2, low=1, high=64),
    "timeout": 120,
    "retry": 600,
    "queue_limit": 1,
    "bulk": 1,
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": -1,
    "scheduler": False,  # nobody schedules: the worker's own tick does what comes round
    "max_rss": 1_500_000,
    "poll": 0.5,
    "label": "Queue",
    **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default"}),
}

# ---------------------------------------------------------------- files
STATIC_URL = "/static/"
# Made here: whitenoise warns of a folder that is not there.
STATIC_ROOT = env.folder("EVALSERVICE_STATIC", VAR_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "templates" / "static"]
MEDIA_ROOT = VAR_DIR / "blobs"
STORAGES = {
    # Blobs lie under no served path; nothing maps a URL to them.
    "default": {
        "BACKEND": "submissions.blobs.AtomicFileSystemStorage",
        "OPTIONS": {"location": str(MEDIA_ROOT)},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEMO or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEMO or DEBUG  # there, nobody has run collectstatic
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 * 2**20

# ---------------------------------------------------------------- security
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]  # probes come from inside, without TLS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if env.flag("EVALSERVICE_BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# ---------------------------------------------------------------- language and time
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
FORMAT_MODULE_PATH = ["evalservice.formats"]

# ---------------------------------------------------------------- API
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["submissions.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["submissions.api.permissions.DenyAll"],  # each view says who may
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "submissions.api.schema.ApiSchema",
    "DEFAULT_THROTTLE_CLASSES": ["submissions.api.throttling.SettingsThrottle"],
    "EXCEPTION_HANDLER": "evalservice.api.problem_handler",
    "UNAUTHENTICATED_USER": None,
    "NUM_PROXIES": env.integer("EVALSERVICE_PROXIES", 0, low=0, high=5),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "evalservice",
    "DESCRIPTION": "Submit answers, follow their judging, read the boards.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "submissions.models.Submission.State",
        "TaskSetState": "submissions.models.TaskSet.State",
        "SystemClass": "submissions.models.System.Class",
    },
}

# ---------------------------------------------------------------- the service itself
# Upward steps go by dotted path, so that the lower app never imports the higher (docs/architecture.md).
PIPELINE = {
    "submission_finalized": "judging.tasks.collect_pages",
    "claims_wanted": "judging.tasks.search_claims",
    "pages_collected": "judging.tasks.judge_answers",
    "answers_judged": "judging.tasks.score_submission",
    "submission_judged": "leaderboard.tasks.publish_due",
    "incomplete_due": "judging.retrying.retry_incomplete",
    "budget_due": "judging.retrying.resume_next_day",
    "scores_shown": "leaderboard.services.scores_shown",
    "not_listed_because": "leaderboard.services.not_listed_because",
}
MIB = 2**20
EVALSERVICE: dict[str, Any] = {
    "JUDGE": env.choice("EVALSERVICE_JUDGE", "lexical", ("lexical", "openai")),
    "JUDGE_PROFILE": env.read("EVALSERVICE_JUDGE_PROFILE").strip(),  # a file; without one, a single model
    "JUDGE_MODEL": env.read("EVALSERVICE_JUDGE_MODEL"),
    "JUDGE_PRICES": env.prices("EVALSERVICE_JUDGE_PRICES"),
    "OPENAI_BASE_URL": env.read("OPENAI_BASE_URL"),
    "OPENAI_API_KEY": env.read("OPENAI_API_KEY"),
    "PAGES": env.choice("EVALSERVICE_PAGES", "archive" if DEMO else "live", ("archive", "live")),
    "PUBLISH": env.choice("EVALSERVICE_PUBLISH", "immediate" if DEMO else "daily", ("immediate", "daily")),
    "LIMITS": {
        "answer_bytes": env.integer("EVALSERVICE_ANSWER_BYTES", 2 * MIB, low=1_000, high=64 * MIB),
        "bundle_bytes": env.integer("EVALSERVICE_BUNDLE_BYTES", 200 * MIB, low=1_000, high=4_096 * MIB),
        "bundle_files": env.integer("EVALSERVICE_BUNDLE_FILES", 10_000, low=1, high=1_000_000),
        "bundle_ratio": env.integer("EVALSERVICE_BUNDLE_RATIO", 100, low=2, high=10_000),
        "urls_per_answer": env.integer("EVALSERVICE_URLS_PER_ANSWER", 200, low=1, high=5_000),
        "faults_listed": MAX_FAULTS,
    },
    "PER_MINUTE": {
        "read": env.integer("EVALSERVICE_READS_PER_MINUTE", 600, low=1, high=1_000_000),
        "write": env.integer("EVALSERVICE_WRITES_PER_MINUTE", 120, low=1, high=1_000_000),
        "answers": env.integer("EVALSERVICE_ANSWERS_PER_MINUTE", 3_000, low=1, high=1_000_000),
        "upload": env.integer("EVALSERVICE_UPLOADS_PER_MINUTE", 30, low=1, high=1_000_000),
    },
    "MODEL": {
        "in_flight": env.integer("EVALSERVICE_IN_FLIGHT", 32, low=1, high=1_000),
        "timeout_s": env.integer("EVALSERVICE_MODEL_TIMEOUT", 60, low=1, high=1_800),
        "attempts": env.integer("EVALSERVICE_MODEL_ATTEMPTS", 6, low=1, high=20),
        "budget_s": env.integer("EVALSERVICE_MODEL_BUDGET", 300, low=1, high=3_600),
        "tokens_per_minute": env.integer(
            "EVALSERVICE_TOKENS_PER_MINUTE", 0, low=0, high=10**9
        ),  # 0: no limit
    },
    # What judging may cost before it pauses; 0 sets no limit. Days are days of UTC.
    "BUDGET": {
        "submission_usd": env.number("EVALSERVICE_BUDGET_SUBMISSION_USD", 0.0, low=0.0, high=1e6),
        "submission_tokens": env.integer("EVALSERVICE_BUDGET_SUBMISSION_TOKENS", 0, low=0, high=10**12),
        "day_usd": env.number("EVALSERVICE_BUDGET_DAY_USD", 0.0, low=0.0, high=1e6),
        "day_tokens": env.integer("EVALSERVICE_BUDGET_DAY_TOKENS", 0, low=0, high=10**12),
    },
    # Off, no claim leaves the house (docs/search.md).
    "SEARCH": {
        "provider": env.choice("EVALSERVICE_SEARCH", "off", ("off", "searxng", "serper")),
        "url": env.read("EVALSERVICE_SEARCH_URL").strip(),
        "key": env.read("EVALSERVICE_SEARCH_KEY").strip(),
        "queries": env.integer("EVALSERVICE_SEARCH_QUERIES", 1, low=1, high=3),  # for one claim
        "results": env.integer("EVALSERVICE_SEARCH_RESULTS", 5, low=1, high=10),  # hits of one query
        "test_sets": env.flag("EVALSERVICE_SEARCH_TEST_SETS", False),
    },
    "KNOWN_GOOD_HOSTS": env.listed("EVALSERVICE_KNOWN_GOOD_HOSTS", "www.iana.org,www.debian.org"),
    # A page of our own is never evidence, and our own network is nobody's to look into.
    "OWN_HOSTS": [host.strip("[].").lower() for host in ALLOWED_HOSTS],
    "DENIED_NETWORKS": env.networks("EVALSERVICE_DENIED_NETWORKS"),
    "CONTACT": env.read("EVALSERVICE_CONTACT") or "contact address not configured",
    "FENCE_KEY": env.derived_key(SECRET_KEY, "prompt fences"),
    "BLOCKED_DAYS": 14,
    "MIN_COVERAGE": 0.98,
    "DRAFT_DAYS": 7,
    "PAUSED_DAYS": 14,
    "API_KEY_DAYS": 365,
    "IDEMPOTENCY_HOURS": 48,
    # What a worker may do after the last look at its slice's end must fit into Q_CLUSTER's timeout (a check).
    "SLICE_SECONDS": env.integer("EVALSERVICE_SLICE_SECONDS", 30, low=1, high=49),
    "FETCH_SECONDS": 60,  # for one page with its retries
    "CLOSING_SECONDS": 10,  # for the last batch and the closing transaction
    "LEASE_SECONDS": env.integer("EVALSERVICE_LEASE_SECONDS", 15, low=2, high=120),
    "SHARD_ANSWERS": env.integer("EVALSERVICE_SHARD_ANSWERS", 25, low=1, high=1_000),
    "JOB_TAKEOVERS": 5,
}
# A byte of an answer takes up to six in JSON (\u0001): the largest answer must pass as a request's body.
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * EVALSERVICE["LIMITS"]["answer_bytes"] + 65_536
SESSION_COOKIE_AGE = 8 * 3_600  # seconds; sessions are for staff alone
_level = env.choice(
    "EVALSERVICE_LOG_LEVEL", "WARNING" if DEMO else "INFO", ("DEBUG", "INFO", "WARNING", "ERROR")
)
LOGGING = logging_config(plain=DEMO or DEBUG, level=_level)
