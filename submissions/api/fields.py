"""Fields and checks that every input shares."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from django.core.validators import URLValidator
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from submissions.egress.policy import Denied, Policy

_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}  # Persian and Indic words and emoji need them


class LineField(serializers.CharField):
    """One line that a board may show: composed (NFC), without control, bidi and other unseen characters."""

    def to_internal_value(self, data: Any) -> str:
        """The line as stored.

        :raises ValidationError: it holds a character nobody would see.
        """
        line = unicodedata.normalize("NFC", super().to_internal_value(data))
        if any(unicodedata.category(c) in _UNSEEN and c not in _JOINERS for c in line):
            raise ValidationError("Control and other invisible characters are not accepted.", code="invalid")
        return line


# Boards link to any port; names and addresses that lead inside a network, and a link's user name, they do not show.
_LINKS = Policy(ports=frozenset(range(1, 65_536)))


def _refuse_unless_public(url: str) -> None:
    """Judge a link by what it says; nothing is looked up.

    :raises ValidationError: it has a user name or password, or its host is not a public one.
    """
    try:
        _LINKS.judge_url(url)
    except Denied as denied:
        detail = "A public host is needed, without user name and password."
        raise ValidationError(detail, code="invalid") from denied


class PublicUrlField(serializers.URLField):
    """An http or https URL of a public host, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=500, required=False, allow_blank=True, **kwargs)
        self.validators = [v for v in self.validators if not isinstance(v, URLValidator)]
        self.validators += [URLValidator(schemes=["http", "https"]), _refuse_unless_public]


class StrictSerializer(serializers.Serializer[Any]):
    """An input that names unknown fields as faults: a typing error must not pass for a wish."""

    def to_internal_value(self, data: Any) -> Any:
        """The validated fields.

        :raises ValidationError: for unknown fields, and for whatever is wrong with the known ones.
        """
        faults = {**_repeated(data), **self._unknown(data)}
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**faults, **_by_field(error.detail)}) from error
        if faults:
            raise ValidationError(faults)
        return values

    def _unknown(self, data: Any) -> dict[str, Any]:
        refusal = ErrorDetail("There is no such field, or it cannot be written.", code="field_unknown")
        names = data if isinstance(data, Mapping) else ()
        return {str(name)[:60]: [refusal] for name in names if name not in self.fields}


def _repeated(data: Any) -> dict[str, Any]:
    """Form fields that come twice: which one was meant, nobody can say."""
    if not isinstance(data, QueryDict):
        return {}
    refusal = ErrorDetail("This field is given more than once.", code="invalid")
    return {name: [refusal] for name, values in data.lists() if len(values) > 1}


def _by_field(detail: Any) -> dict[str, Any]:
    return dict(detail) if isinstance(detail, Mapping) else {"non_field_errors": detail}
