"""A real endpoint for tests: it speaks OpenAI's chat completions, answers sensibly and fails on order."""

from tests.endpoint.script import Script
from tests.endpoint.server import Call, Endpoint

__all__ = ["Call", "Endpoint", "Script"]
