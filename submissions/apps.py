"""The app ``submissions``."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """See ``docs/architecture.md``."""

    name = "submissions"
    default_auto_field = "django.db.models.BigAutoField"
