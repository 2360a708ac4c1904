"""How often a team, or a stranger's address, may ask."""

from __future__ import annotations

from django.conf import settings
from rest_framework.throttling import ScopedRateThrottle


class SettingsThrottle(ScopedRateThrottle):
    """Counts by the scope of the view; the rates are ``EVALSERVICE["PER_MINUTE"]`` as it stands now.

    REST framework's own reads its rates once, when it is imported.
    """

    def get_rate(self) -> str:
        """Requests a minute in this scope."""
        return f"{settings.EVALSERVICE['PER_MINUTE'][self.scope]}/min"
