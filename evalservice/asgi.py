"""The web process under an ASGI server, for event streams."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalservice.settings")
application = get_asgi_application()
