"""The only URLconf."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView

from evalservice import health, reference

admin.site.site_header = admin.site.site_title = "evalservice"
admin.site.enable_nav_sidebar = False  # lists need the room

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("favicon.ico", reference.favicon, name="favicon"),
    path("api/", reference.reference, name="reference"),
    path("api/v1/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/", include("submissions.api.urls")),
    path("api/v1/", include("leaderboard.api.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("leaderboard.urls")),
]

handler400 = "evalservice.api.bad_request"
handler403 = "evalservice.api.permission_denied"
handler404 = "evalservice.api.not_found"
handler500 = "evalservice.api.server_error"
