"""All routes of the console."""

from fastapi import APIRouter

from assistant.server.console.approval_routes import approval_routes
from assistant.server.console.audit_routes import audit_routes
from assistant.server.console.console_context import Console
from assistant.server.console.conversation_routes import conversation_routes
from assistant.server.console.inbox_routes import inbox_routes
from assistant.server.console.oidc_routes import oidc_routes
from assistant.server.console.pause_routes import pause_routes
from assistant.server.console.people_routes import people_routes
from assistant.server.console.reply_routes import reply_routes
from assistant.server.console.session_routes import session_routes
from assistant.server.console.work_routes import work_routes


def console_routes(console: Console) -> APIRouter:
    """The routes under ``/console/api``, and those of the identity provider under ``/console/oidc``."""
    router = APIRouter()
    # Not `include_router`, which would analyse each route again at the first request.
    if console.company_sign_in is not None:
        router.routes += oidc_routes(console, console.company_sign_in).routes
    for each in (session_routes, people_routes, audit_routes, conversation_routes):
        router.routes += each(console).routes
    if console.controls is not None:
        router.routes += pause_routes(console, console.controls).routes
    if console.inbox is not None:
        router.routes += inbox_routes(console, console.inbox).routes
        router.routes += work_routes(console).routes
    if console.approvals is not None:
        router.routes += approval_routes(console, console.approvals).routes
    if console.replies is not None:
        router.routes += reply_routes(console, console.replies).routes
    return router
