"""Reading request bodies: JSON without liberties, and bundles that are refused before they are received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser

from submissions.bundle import MalformedJson, load_json

_FORM_SLACK = 65_536  # what the other fields and the boundaries of a form need


class StrictJSONParser(JSONParser):
    """JSON in UTF-8 (or UTF-16 with its mark), without NaN, repeated keys or absurd depth."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The body's value.

        :raises ParseError: with the code of what is wrong.
        """
        try:
            return load_json(stream.read())
        except MalformedJson as error:
            raise ParseError(error.detail, code=error.code) from error


class BundleParser(MultiPartParser):
    """A form with one file, streamed to disk by Django."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> DataAndFiles[Any, Any]:
        """Fields and files.

        :raises RequestDataTooBig: by the announced length, before a byte is read. Nothing longer can follow:
            Django reads no further than announced.
        """
        announced = (parser_context or {})["request"].META.get("CONTENT_LENGTH") or "0"
        limit = settings.EVALSERVICE["LIMITS"]["bundle_bytes"] + _FORM_SLACK
        if announced.isascii() and announced.isdigit() and int(announced) > limit:
            raise RequestDataTooBig(f"A bundle of at most {limit - _FORM_SLACK} bytes.")
        return super().parse(stream, _lower_kind(media_type), parser_context)


def _lower_kind(media_type: str | None) -> str:
    """``Multipart/Form-Data; boundary=X`` with its type in small letters, the only ones Django's parser knows."""
    kind, mark, parameters = (media_type or "").partition(";")
    return kind.lower() + mark + parameters
