"""What counts as not prepared, on a database that is."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from evalservice import api, checks, preparation

pytestmark = pytest.mark.django_db


def test_a_prepared_installation_lacks_nothing() -> None:
    assert preparation.unapplied_migrations() == []
    assert preparation.missing() == []
    assert checks.check_tables(None, databases=["default"]) == []
    assert checks.check_static_files(None) == []


@pytest.mark.parametrize("error", [ValueError("ours"), IntegrityError("ours"), RuntimeError("ours")])
def test_an_error_of_ours_is_not_blamed_on_the_operator(error: Exception) -> None:
    try:
        raise error
    except type(error):
        page = api.server_error(RequestFactory().get("/"))
        problem = api.server_error(RequestFactory().get("/api/v1/me"))
    assert page.status_code == problem.status_code == 500
    assert b"Something broke on our side" in page.content
    assert b"internal_error" in problem.content


def test_the_database_is_looked_at_where_it_is_named_and_not_otherwise() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert checks.check_tables(None) == []
        assert checks.check_tables(None, databases=["elsewhere"]) == []
        assert len(queries) == 0
        checks.check_tables(None, databases=["default"])
    assert len(queries) > 0
