"""django-q2's own admin pages are taken away: they let staff name any callable for the workers to run."""

from __future__ import annotations

import django_q.admin  # noqa: F401  # registers its pages when it is first imported: here, so that they can go
from django.apps import apps
from django.contrib import admin


def close() -> None:
    """Unregister every model of django-q2; again, it changes nothing."""
    for model in apps.get_app_config("django_q").get_models():
        if admin.site.is_registered(model):
            admin.site.unregister(model)
