"""What the tables of labels brought can be taken back once commands have been charged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from judging.models import Spending

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def _whole_again() -> Iterator[None]:
    yield
    call_command("migrate", verbosity=0)


@pytest.mark.usefixtures("_whole_again")
def test_what_commands_cost_holds_no_migration_back() -> None:
    Spending.objects.create(day=timezone.now().date(), calls=3)
    call_command("migrate", "judging", "0003_limits_and_calibrations", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM judging_spending")
        assert cursor.fetchone() == (0,)
