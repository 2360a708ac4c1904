"""Who takes part: organisations, their teams, the people in them, and the systems they evaluate."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from django.conf import settings
from django.db import models

from submissions.ids import public_id


class Organisation(models.Model):
    """The body behind teams; quotas count by it, and pages on its domains decide nothing for its systems."""

    name = models.CharField(max_length=200, unique=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class OrganisationDomain(models.Model):
    """A domain of an organisation, verified by an admin."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="domains")
    name = models.CharField(max_length=253, unique=True)
    verified_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class Team(models.Model):
    """A group of people who submit together."""

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField()
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="teams")

    class Meta:
        ordering: ClassVar = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class MembershipRole(models.TextChoices):
    """What a person is in a team."""

    OWNER = "owner", "owner"
    MEMBER = "member", "member"


class Membership(models.Model):
    """A person in a team."""

    Role: TypeAlias = MembershipRole

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once_per_team"),
            models.CheckConstraint(
                condition=models.Q(role__in=MembershipRole.values), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id} as {self.role}"


class SystemClass(models.TextChoices):
    """What kind of agent a system is."""

    DEEP_RESEARCH = "deep_research", "deep-research agent"
    LLM_SEARCH = "llm_search", "LLM + search"
    FRAMEWORK = "framework", "agentic framework"
    WEB_AGENT = "web_agent", "web agent"
    HUMAN = "human", "human"


class System(models.Model):
    """The agent under test. One row is one lineage: new versions of a system stay in its row."""

    Class: TypeAlias = SystemClass

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="systems")
    name = models.CharField(max_length=120)
    version = models.CharField(max_length=60, blank=True)
    system_class = models.CharField(max_length=20, choices=Class.choices)
    model = models.CharField(max_length=120, blank=True)
    licence = models.CharField(max_length=60, blank=True)
    url = models.URLField(max_length=500, blank=True)
    paper_url = models.URLField(max_length=500, blank=True)
    code_url = models.URLField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name", "public_id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "name"], name="system_name_once_per_team"),
            models.CheckConstraint(
                condition=models.Q(system_class__in=SystemClass.values), name="system_class_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name
