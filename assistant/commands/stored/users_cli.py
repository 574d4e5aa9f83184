"""The command line of accounts of staff: ``assistant users``."""

from typing import Annotated

import typer

from assistant.staff.roles import ROLES

app = typer.Typer(help="Add and change the accounts of staff, who use the console.", no_args_is_help=True)

_Server = Annotated[str, typer.Option(help="where the console is reached, such as https://chat.example.com")]
_Login = Annotated[str, typer.Argument(help="the person's login, such as 'kim@example.com'")]
_Roles = Annotated[list[str], typer.Argument(metavar="ROLE...", help=f"one or more of {', '.join(ROLES)}")]
_HERE = "http://127.0.0.1:8000"


@app.command()
def add(
    login: _Login,
    roles: _Roles,
    name: Annotated[str, typer.Option(help="what colleagues see; the login when left out")] = "",
    server: _Server = _HERE,
) -> None:
    """Add an account, and print a link with which the person signs in and sets a password."""
    from assistant.commands.stored.users import add as run

    run(login, roles, name, server)


@app.command("list")
def list_users() -> None:
    """List the accounts with their roles."""
    from assistant.commands.stored.users import list_users as run

    run()


@app.command()
def roles(login: _Login, roles: _Roles) -> None:
    """Give an account these roles in place of those that it has."""
    from assistant.commands.stored.users import change_roles as run

    run(login, roles)


@app.command()
def work(
    login: _Login,
    team: Annotated[list[str] | None, typer.Option(help="a team; repeat it for several")] = None,
    skill: Annotated[list[str] | None, typer.Option(help="such as 'de' or 'billing'; repeat it")] = None,
    capacity: Annotated[
        int | None, typer.Option(min=0, max=100, help="the most conversations at a time")
    ] = None,
    *,
    none: Annotated[bool, typer.Option("--none", help="no teams and no skills")] = False,
) -> None:
    """Show a person's teams, skills and capacity, or set those that are given in place of the earlier ones."""
    from assistant.commands.stored.users import change_work as run

    run(login, () if none else team, () if none else skill, capacity)


@app.command()
def disable(login: _Login) -> None:
    """Disable an account. The person is signed out at once, on each server."""
    from assistant.commands.stored.users import disable as run

    run(login, disabled=True)


@app.command()
def enable(login: _Login) -> None:
    """Enable an account that was disabled."""
    from assistant.commands.stored.users import disable as run

    run(login, disabled=False)


@app.command()
def link(login: _Login, server: _Server = _HERE) -> None:
    """Print a link that signs the person in once, to set a new password."""
    from assistant.commands.stored.users import link as run

    run(login, server)


@app.command()
def password(login: _Login) -> None:
    """Set a password, which is asked for, or read from the standard input. The person is signed out everywhere."""
    from assistant.commands.stored.users import set_password as run

    run(login)


@app.command()
def unlink(login: _Login) -> None:
    """Let another person of your identity provider have this account, such as one who took over its address."""
    from assistant.commands.stored.users import unlink as run

    run(login)
