"""The answers of a submission."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.api.base import TeamView
from submissions.api.inputs import AnswerIn as AnswerInSchema
from submissions.api.outputs import AnswerOut, AnswerRow
from submissions.api.pagination import ByTaskAndRun
from submissions.api.views.submissions import submission_or_404, upload_limits
from submissions.bundle import AnswerIn, read_record
from submissions.models import Answer, Submission
from submissions.problems import ErrorItem, Refusal
from submissions.services import put_answer, version_of

IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="Replace only the answer with this ETag."
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="``*``: store only if no answer is there."
)
_ETAG = re.compile(r'(?:W/)?"([0-9a-f]{32})"|(\*)')


class FieldsInvalid(Refusal):
    """The body's fields are not an answer's."""

    code = "request_invalid"


class IfMatchInvalid(Refusal):
    """A condition that cannot be read must not pass for none."""

    code = "answer_changed"


def _answer_in(data: Any, task_id: str, run: int) -> AnswerIn:
    if not isinstance(data, Mapping):
        raise ParseError("A JSON object is needed.", code="json_not_an_object")
    answer = read_record(data, upload_limits(), place=(task_id, run))
    if isinstance(answer, list):
        raise FieldsInvalid(
            errors=[ErrorItem(f"/{fault.field}", fault.code, fault.detail) for fault in answer]
        )
    return answer


def _if_match(request: Request) -> str | None:
    header = request.headers.get("If-Match")
    if header is None:
        return None
    match = _ETAG.fullmatch(header.strip())
    if match is None:
        raise IfMatchInvalid("If-Match is not an ETag of ours.")
    return match[1] or match[2]


class AnswerList(TeamView):
    """The answers of a submission, without their texts."""

    pagination_class = ByTaskAndRun

    @extend_schema(operation_id="answers", responses=AnswerRow(many=True), tags=["answers"])
    def get(self, request: Request, submission_id: str) -> Response:
        """One row for every task and run; on dev sets with scores and feedback once judged."""
        submission = submission_or_404(self.team, submission_id)
        rows = _rows(submission).defer("text")
        pages: ByTaskAndRun[Answer] = ByTaskAndRun()
        page = pages.paginate_queryset(rows, request)
        return pages.get_paginated_response(AnswerRow(page, many=True).data)


def _rows(submission: Submission) -> Any:
    return submission.answers.select_related("task", "submission__task_set").defer("task__prompt")


class AnswerView(TeamView):
    """One answer."""

    write_scope = "answers"

    @extend_schema(operation_id="answer", responses=AnswerOut, tags=["answers"])
    def get(self, request: Request, submission_id: str, task_id: str, run: int) -> Response:
        """The answer as it will be judged, with its ETag."""
        submission = submission_or_404(self.team, submission_id)
        if run > submission.runs:
            raise NotFound
        answer = _rows(submission).filter(task__public_id=task_id, run=run).first()
        if answer is None:
            raise NotFound
        return self._answer(answer)

    @extend_schema(
        operation_id="put_answer",
        parameters=[IF_MATCH, IF_NONE_MATCH],
        request=AnswerInSchema,
        responses={200: AnswerOut, 201: AnswerOut},
        tags=["answers"],
    )
    def put(self, request: Request, submission_id: str, task_id: str, run: int) -> Response:
        """Give an answer of a draft, or replace it."""
        submission = submission_or_404(self.team, submission_id)
        answer, is_new = put_answer(
            submission=submission,
            answer=_answer_in(request.data, task_id, run),
            now=timezone.now(),
            if_match=_if_match(request),
            if_none=request.headers.get("If-None-Match", "").strip() == "*",
        )
        return self._answer(answer, status=201 if is_new else 200)

    def _answer(self, answer: Answer, status: int = 200) -> Response:
        return Response(AnswerOut(answer).data, status=status, headers={"ETag": f'"{version_of(answer)}"'})
