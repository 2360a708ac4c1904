"""The web process: ``gunicorn evalservice.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalservice.settings")
application = get_wsgi_application()
