"""The wiring: checks are registered here, since ``ready`` runs before anything can go wrong."""

from django.apps import AppConfig
from django.core.checks import Tags, register


class EvalserviceConfig(AppConfig):
    """See ``docs/architecture.md``."""

    name = "evalservice"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register our system checks."""
        from evalservice import checks  # noqa: PLC0415  # app registry must be ready first

        register(checks.check_pipeline)
        register(checks.check_queue)
        register(checks.check_judge)
        register(checks.check_profile)
        register(checks.check_search)
        register(checks.check_tables, Tags.database)
        register(checks.check_static_files, Tags.staticfiles, deploy=True)
