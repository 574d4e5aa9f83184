"""The command line of what is stored: customers' data, documents, memory, secrets, and moving it all elsewhere.

Each command imports its modules only when it is called.
"""

from pathlib import Path
from typing import Annotated

import typer

customers = typer.Typer(help="Export or erase the data of a customer.", no_args_is_help=True)
documents = typer.Typer(
    help="List, add, remove and search the documents that answers use.", no_args_is_help=True
)
data = typer.Typer(help="Move an installation's data.", no_args_is_help=True)
conversations = typer.Typer(help="Find conversations, and read them.", no_args_is_help=True)
secrets = typer.Typer(help="List the secrets, and replace one while servers run.", no_args_is_help=True)
webhooks = typer.Typer(help="Test the webhooks, and list what they delivered.", no_args_is_help=True)
samples = typer.Typer(
    help="Add example conversations of the demo shop to look at in the console, and remove them.",
    no_args_is_help=True,
)
memories = typer.Typer(help="Show what is stored about conversations.", no_args_is_help=True)

_CustomerId = Annotated[str, typer.Argument(help="the customer's id, as tools and the log use it")]
_CustomersTenant = Annotated[str, typer.Option(help="the customer's tenant", envvar="ASSISTANT_TENANT")]
_DocumentsTenant = Annotated[
    str, typer.Option(help="the tenant of the customers; default: the demo shop", envvar="ASSISTANT_TENANT")
]


@customers.command()
def export(
    customer: _CustomerId,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="the file to write; default: <ID>.customer.json")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="overwrite an existing file")] = False,
    tenant: _CustomersTenant = "demo",
) -> None:
    """Write all data of a customer into a JSON file. You can use this while a server is running."""
    from assistant.commands.stored.customer import export as run

    run(tenant, customer, out, force=force)


@customers.command()
def erase(
    customer: _CustomerId,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask for confirmation")] = False,
    tenant: _CustomersTenant = "demo",
) -> None:
    """Erase all data of a customer permanently.

    While a server runs on the same data folder, use its API: DELETE /v1/operators/customers/ID.
    """
    from assistant.commands.stored.customer import erase as run

    run(tenant, customer, ask=not yes)


@documents.command("add")
def add_documents(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="files, or folders of them: Markdown, text, HTML, PDF"),
    ],
    customer: Annotated[
        str, typer.Option(help="the id of the only customer who may read them; default: all customers")
    ] = "",
    title: Annotated[
        str, typer.Option(help="the title that answers name as their source; default: the title in the file")
    ] = "",
    expires: Annotated[
        str,
        typer.Option(help="when they are deleted: a day such as 2027-01-31, or days from now such as 90d"),
    ] = "",
    tenant: _DocumentsTenant = "demo",
) -> None:
    """Add documents that answers can use. A file that was added before is replaced."""
    from assistant.commands.stored.documents import AddOptions
    from assistant.commands.stored.documents import add as run

    raise typer.Exit(
        run(AddOptions(paths=tuple(paths), customer=customer, title=title, expires=expires, tenant=tenant))
    )


@documents.command("list")
def list_documents(
    customer: Annotated[
        str | None, typer.Option(help="only documents that only this customer may read")
    ] = None,
    results: Annotated[bool, typer.Option("--results", help="include results of tools")] = False,
    tenant: _DocumentsTenant = "demo",
) -> None:
    """List the documents, how long each is kept, and which are still waiting to be stored."""
    from assistant.commands.stored.documents import list_documents as run

    run(tenant, customer, results=results)


@documents.command("remove")
def remove_document(
    ref: Annotated[
        str, typer.Argument(help="the document's reference, as `assistant documents list` prints it")
    ],
    tenant: _DocumentsTenant = "demo",
) -> None:
    """Delete a document permanently."""
    from assistant.commands.stored.documents import remove as run

    raise typer.Exit(run(tenant, ref))


@documents.command("search")
def search_documents(
    question: Annotated[str, typer.Argument(help="a customer's question")],
    customer: Annotated[
        str, typer.Option(help="search as this customer, including the customer's own documents")
    ] = "",
    tenant: _DocumentsTenant = "demo",
) -> None:
    """Show which passages a question finds, how similar they are, and which are similar enough for the model."""
    from assistant.commands.stored.documents import search as run

    run(tenant, customer, question)


@data.command("copy")
def copy_data(
    to: Annotated[
        str | None,
        typer.Option(
            help="the database, as postgresql://user:password@host/database; default: ASSISTANT_DATABASE, which"
            " keeps the password out of the history of your shell"
        ),
    ] = None,
) -> None:
    """Copy everything from the data folder to an empty database, and compare the two.

    Stop the server first. If the command is interrupted, run it again: it continues.
    """
    from assistant.commands.stored.data import copy as run

    raise typer.Exit(run(to))


@conversations.command("list")
def list_conversations(
    since: Annotated[str, typer.Option(help="the beginning: 30d for the last 30 days, or a date")] = "7d",
    until: Annotated[str, typer.Option(help="the end, in the same form; it is not included")] = "",
    customer: Annotated[str, typer.Option(help="only conversations of this customer")] = "",
    outcome: Annotated[
        str,
        typer.Option(help="only conversations with this outcome, such as confirmed, abandoned, handed_over"),
    ] = "",
    rating: Annotated[str, typer.Option(help="only conversations with this rating: up or down")] = "",
    handoff: Annotated[
        bool,
        typer.Option("--handoff", help="only conversations with a request for an agent, or with an agent"),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="how many to print, newest first")] = 50,
    unmasked: Annotated[bool, typer.Option("--no-mask", help="keep personal data as it is")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List conversations, the newest first, with how they ended.

    Each line is a visit: a part of a conversation without a long pause. You can use this while a server is running.
    """
    from assistant.commands.stored.conversations import ListOptions
    from assistant.commands.stored.conversations import list_conversations as run

    run(
        ListOptions(
            since=since,
            until=until,
            customer=customer,
            outcome=outcome,
            rating=rating,
            handoff=handoff,
            limit=limit,
            as_json=json,
            masked=not unmasked,
        )
    )


@conversations.command("show")
def show_conversation(
    conversation: Annotated[
        str,
        typer.Argument(
            help="the conversation's id, or the beginning of it; 'last' is the newest conversation"
        ),
    ],
    unmasked: Annotated[bool, typer.Option("--no-mask", help="keep personal data as it is")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Show the messages and events of a conversation: messages with their kinds and times, tool calls, handoffs.

    Masked are mail addresses, phone, account and card numbers, secrets, and the name with which the customer
    identified themselves. Other names in the text stay.
    """
    from assistant.commands.stored.conversations import show as run

    run(conversation, as_json=json, masked=not unmasked)


@webhooks.command("test")
def test_webhooks() -> None:
    """Send a signed sample event to each address in ASSISTANT_WEBHOOK_URLS, and print what it answers."""
    from assistant.commands.stored.webhooks import test as run

    raise typer.Exit(run())


@webhooks.command("list")
def list_webhooks(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="how many to print, newest first")] = 20,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List the newest attempts to deliver an event, and how each ended.

    You can use this while a server is running.
    """
    from assistant.commands.stored.webhooks import list_attempts as run

    run(limit, as_json=json)


@memories.callback()
def memory_options() -> None:
    """Inspect what models receive of conversations."""


@memories.command("show")
def show_memory(
    conversation: Annotated[
        str,
        typer.Argument(
            help="the conversation's id, or the beginning of it; 'last' is the newest conversation"
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="also print the exact text that each model would receive")
    ] = False,
) -> None:
    """Show what each model would receive of a conversation now, part by part, in tokens, and the other stored data.

    The output contains the customer's words.
    """
    from assistant.commands.stored.memory import show as run

    run(conversation, as_json=json, full=full)


@secrets.command("list")
def list_secrets() -> None:
    """Print each secret's name, where it comes from, how many values it has, and its age. Never a value."""
    from assistant.commands.stored.secrets import list_secrets as run

    run()


@secrets.command()
def rotate(
    name: Annotated[
        str, typer.Argument(help="'own', or a setting such as 'site_secret' whose value is in a file")
    ],
    finish: Annotated[bool, typer.Option("--finish", help="remove the previous value")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="with --finish: remove it even if visitors' tokens still need it")
    ] = False,
) -> None:
    """Make a new value and keep the previous one. Remove the previous one later, with --finish.

    docs/guides/secrets.md has the order of the steps for each secret.
    """
    from assistant.commands.stored.secrets import rotate as run

    run(name, finish=finish, now=now)


@samples.command("add")
def add_samples() -> None:
    """Add the example conversations. Reports do not count them, and no webhook gets them. A server may run."""
    from assistant.commands.stored.sample import add as run

    run()


@samples.command("remove")
def remove_samples() -> None:
    """Remove the example conversations and all that came of them. Stop the server on this data folder before."""
    from assistant.commands.stored.sample import remove as run

    run()
