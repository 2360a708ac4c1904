"""Whether this process lives, and whether it can serve."""

from __future__ import annotations

from contextlib import closing

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis import Redis, RedisError

from evalservice.preparation import missing

PATIENCE = 1.0  # seconds for Redis to connect, and to answer


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers and was prepared, and so does Redis where it carries messages and counts requests."""
    if unprepared := missing():
        return JsonResponse({"status": unprepared[0].status}, status=503)
    if settings.REDIS_URL and not _redis_answers(settings.REDIS_URL):
        return JsonResponse({"status": "redis unavailable"}, status=503)
    return JsonResponse({"status": "ok"})


def _redis_answers(url: str) -> bool:
    client = Redis.from_url(url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE)
    try:
        with closing(client):
            client.ping()
    except RedisError:
        return False
    return True
