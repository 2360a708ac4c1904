"""What all workers share: the calls an endpoint takes at once, and what has been spent."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from judging.models.runs import JudgeRun


class Endpoint(models.Model):
    """An address that answers model calls. Who takes or gives back a seat at it locks this row."""

    base_url = models.CharField(max_length=300, unique=True)

    class Meta:
        ordering: ClassVar = ["base_url"]

    def __str__(self) -> str:
        return f"endpoint {self.pk}"


class Seat(models.Model):
    """One slice of work at an endpoint: how many calls it may have in flight, until when unless it says more.

    ``wanted`` is how many it could use, ``in_flight`` how many it may; whoever has more of them on the wire than it is
    to have keeps those until they end.
    """

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="seats")
    holder = models.CharField(max_length=80)
    wanted = models.PositiveIntegerField()
    in_flight = models.PositiveIntegerField()
    until = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["endpoint", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["endpoint", "holder"], name="seat_once_per_holder"),
        ]

    def __str__(self) -> str:
        return f"seat {self.pk}"


class Spending(models.Model):
    """What one run cost on one day (UTC): calls, tokens and USD of every attempt. Without a run: what commands cost.

    ``cost_usd`` counts what had a price; ``unpriced_calls`` had none.
    """

    run = models.ForeignKey(
        JudgeRun, on_delete=models.PROTECT, null=True, blank=True, related_name="spending"
    )
    day = models.DateField(db_index=True)
    calls = models.PositiveBigIntegerField(default=0)
    unpriced_calls = models.PositiveBigIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    reasoning_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.FloatField(default=0.0)

    class Meta:
        ordering: ClassVar = ["day", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "day"], name="spending_once_per_day"),
            # A database holds any number of NULLs for different.
            models.UniqueConstraint(
                fields=["day"], condition=models.Q(run__isnull=True), name="spending_of_commands_once_per_day"
            ),
            models.CheckConstraint(condition=models.Q(cost_usd__gte=0), name="spending_cost_not_negative"),
        ]

    def __str__(self) -> str:
        return f"spending {self.pk}"
