"""Addresses of the public pages."""

from __future__ import annotations

from django.urls import path

from leaderboard import views

app_name = "boards"
urlpatterns = [
    path("", views.home, name="home"),
    path("leaderboards/<slug:slug>/<str:version>/", views.board, name="board"),
    path("entries/<slug:entry_id>/", views.entry, name="entry"),
    path("method/", views.method, name="method"),
]
