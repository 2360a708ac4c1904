#!/usr/bin/env python
"""Django's command line for this service."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run a command; what is wrong with the settings is said in a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalservice.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))


if __name__ == "__main__":
    main()
