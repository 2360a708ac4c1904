"""Who may: nobody, unless a view says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from submissions.models import ApiKey

if TYPE_CHECKING:  # rest_framework.views imports this module, by way of its default permissions
    from rest_framework.views import APIView


class ScopeMissing(PermissionDenied):
    """The key was not given the right to do this."""

    default_code = "scope_missing"


class DenyAll(BasePermission):
    """The default: a view that forgets to name its permission serves nobody."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """No."""
        return False


class HasScope(BasePermission):
    """A key with ``read`` for reading, with ``submit`` for everything else."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether a key came with the request and covers it.

        :raises ScopeMissing: it came and does not.
        """
        if not isinstance(request.auth, ApiKey):
            return False
        needed = "read" if request.method in SAFE_METHODS else "submit"
        if needed not in request.auth.scopes:
            raise ScopeMissing(f"The API key lacks the scope '{needed}'.")
        return True
