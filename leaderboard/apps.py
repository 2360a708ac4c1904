"""The app ``leaderboard``."""

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """See ``docs/architecture.md``."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"
