"""The app ``submissions``."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class SubmissionsConfig(AppConfig):
    """See ``docs/architecture.md``."""

    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Keep the groups at what :data:`submissions.roles.ROLES` says."""
        from submissions import roles  # noqa: PLC0415  # its models need the app registry

        post_migrate.connect(roles.after_migration, dispatch_uid="submissions.roles")
