"""The app ``judging``."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """See ``docs/architecture.md``."""

    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"
