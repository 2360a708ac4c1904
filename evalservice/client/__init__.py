"""What a team installs: a client for scripts and the ``evalservice`` command line."""

from evalservice.client.api import Client, Misconfigured, Problem, ServiceUnreachable
from evalservice.client.bundles import NothingToSubmit

__all__ = ["Client", "Misconfigured", "NothingToSubmit", "Problem", "ServiceUnreachable"]
