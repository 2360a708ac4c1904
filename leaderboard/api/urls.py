"""Addresses under ``/api/v1/`` that show boards."""

from __future__ import annotations

from django.urls import path

from leaderboard.api import views

app_name = "boards_api"
urlpatterns = [
    path("leaderboards", views.BoardList.as_view(), name="boards"),
    path("leaderboards/<slug:slug>/<str:version>", views.BoardView.as_view(), name="board"),
    path("entries/<slug:entry>", views.EntryView.as_view(), name="entry"),
]
