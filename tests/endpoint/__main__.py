"""``python -m tests.endpoint --port 8099 [--script '{"rates": {"rate_limit": 0.1}}']``"""

from __future__ import annotations

import argparse
import json
import sys
import threading

from tests.endpoint import Endpoint, Script


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible endpoint without a model.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--script", default="{}", help="JSON: the fields of tests.endpoint.Script")
    given = parser.parse_args()
    script = Script.from_mapping(json.loads(given.script))
    with Endpoint(script=script, host=given.host, port=given.port) as endpoint:
        sys.stdout.write(f"{endpoint.base_url}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("stopped\n")


if __name__ == "__main__":
    main()
