"""The console for staff: its pages under ``/console``, and its requests under ``/console/api``.

Begin with ``routes.console_routes``. Each route that needs a signed-in person has ``access.Access`` as a
dependency, which checks the session, the permission and where the request came from, and records the use before it
happens.
"""
