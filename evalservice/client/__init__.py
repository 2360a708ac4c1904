"""What a team installs: a client for scripts and the ``evalservice`` command line."""

from evalservice.client.api import Client, Problem, ServiceUnreachable

__all__ = ["Client", "Problem", "ServiceUnreachable"]
