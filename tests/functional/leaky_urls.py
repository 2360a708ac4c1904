"""The service with leaks in it: what the crawl of ``test_canary.py`` must find."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, URLResolver, path

from evalservice import urls
from judging.models import Rubric, Verdict
from submissions.models import Answer


def rubric(request: HttpRequest) -> JsonResponse:
    """Shows rubrics to everyone."""
    return JsonResponse({"rubrics": list(Rubric.objects.values_list("source", flat=True))})


def reason(request: HttpRequest) -> HttpResponse:
    """Hides a judge's reason in a header of a refusal, for those who are signed in."""
    verdict = Verdict.objects.order_by("pk").last()
    assert verdict is not None
    shown = verdict.reason if request.user.is_authenticated else ""
    return HttpResponse(status=403, headers={"X-Reason": shown})


def answer(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Shows answers to whoever knows an id, if they write."""
    rows = Answer.objects.filter(submission__public_id=submission_id)
    return HttpResponse("".join(row.text for row in rows) if request.method == "PUT" else "", status=400)


urlpatterns: list[URLPattern | URLResolver] = [
    *urls.urlpatterns,
    path("leaks/rubric", rubric),
    path("leaks/reason", reason),
    path("api/v1/leaks/<str:submission_id>", answer),
]
handler400, handler403, handler404, handler500 = (
    urls.handler400,
    urls.handler403,
    urls.handler404,
    urls.handler500,
)
