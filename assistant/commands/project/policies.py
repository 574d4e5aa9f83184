"""``assistant policies``: lists and checks the policies, and shows which ones a message would choose."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.conversation.turn_state import TurnState
    from assistant.policies.choose import Match
    from assistant.policies.policy import Policy, Rule
    from assistant.replay.player.environment import ReplayEnvironment
    from assistant.settings import Settings

app = typer.Typer(help="List, check and try the company's policies.", no_args_is_help=True)


@app.command("list")
def list_policies() -> None:
    """Show each policy: when it is chosen, for which customers it is valid, and its enforced rules."""
    settings, loaded = _loaded()
    if not loaded.policies:
        typer.echo(f"There are no policies in {_folder(settings)}.")
    for policy in loaded.policies:
        typer.echo(f"{policy.name}  ({policy.where})")
        for name, values in (("when", policy.when), ("tools", policy.tools), ("tenants", policy.tenants)):
            if values:
                typer.echo(f"    {name}: {'; '.join(values)}")
        if policy.hours is not None:
            typer.echo("    holds at certain hours only")
        for rule in policy.rules:
            typer.echo(f"    rule: {_in_words(rule)}")


@app.command()
def check() -> None:
    """Check all policies against the tools and settings, and report each mistake with its file and line."""
    from assistant.policies.folder import check_policies, server_of

    settings, loaded = _loaded()
    check_policies(loaded.policies, loaded.tools, server_of(settings, loaded.tools))
    rules = sum(len(policy.rules) for policy in loaded.policies)
    typer.echo(f"{len(loaded.policies)} policies with {rules} rules, no mistakes.")


@app.command("try")
def try_message(
    message: Annotated[str, typer.Argument(help="a customer's message")],
    tool: Annotated[list[str] | None, typer.Option(help="a tool that was called; may be repeated")] = None,
    tenant: Annotated[str | None, typer.Option(help="the customer's tenant; default: the demo shop")] = None,
) -> None:
    """Show which policies a message would choose and why, and what a model would receive."""
    from assistant.policies.choose import chosen_policies, notes_for

    settings, loaded = _loaded()
    holding, matches = asyncio.run(_matches(message, tenant or settings.tenant, settings, loaded))
    turn = _turn(message, matches, tool or ())
    chosen = chosen_policies(holding, turn, ())
    for policy in loaded.policies:
        typer.echo(f"{policy.name:<24} {_why(policy, holding, matches, turn, chosen)}")
    if chosen:
        typer.echo(f"\nA model is given this after the conversation:\n\n{notes_for(chosen, loaded.book)}")


async def _matches(
    message: str, tenant: str, settings: "Settings", loaded: "ReplayEnvironment"
) -> "tuple[Sequence[Policy], Sequence[Match]]":
    from assistant.assembly.library import embedder_of
    from assistant.clock import SystemClock
    from assistant.policies.choose import PolicyFinder

    clock = SystemClock(settings.time_zone, settings.now)
    finder = PolicyFinder(loaded.policies, await embedder_of(settings, clock), clock)
    # Here, too, the time to load the model is not part of its time to answer.
    await finder.warm()
    holding = loaded.policies.holding(tenant, clock.now())
    return holding, await finder.matches(message, holding)


def _turn(message: str, matches: "Sequence[Match]", tools: "Sequence[str]") -> "TurnState":
    """A turn with this message and calls of these tools."""
    from assistant.conversation.calls import Call, call_id
    from assistant.conversation.entries import CallRequested, CustomerMessage, PoliciesChosen, TurnStarted
    from assistant.conversation.turn_state import TurnState
    from assistant.policies.choose import nearest

    said = CustomerMessage(message_id="u1", client_message_id="m1", text=message)
    turn = TurnState(TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle=""), said)
    turn.apply(PoliciesChosen(names=tuple(match.policy.name for match in nearest(matches))))
    for number, name in enumerate(tools, 1):
        turn.apply(CallRequested(call=Call(id=call_id(1, number), tool=name)))
    return turn


def _why(
    policy: "Policy",
    holding: "Sequence[Policy]",
    matches: "Sequence[Match]",
    turn: "TurnState",
    chosen: "Sequence[Policy]",
) -> str:
    if policy not in holding:
        return "does not hold for this tenant at this time"
    match = next((one for one in matches if one.policy == policy), None)
    near = f'{match.score:.2f}, nearest to "{match.phrase}"' if match is not None else "has no phrases"
    called = [call.tool for call in turn.calls if call.tool in policy.tools]
    if policy not in chosen:
        return f"-       {near}"
    because = f"; {', '.join(called)} was called" if called else ""
    return f"chosen  {near}{because}"


def _in_words(rule: "Rule") -> str:
    demands = [
        *([f"requires a customer who is {rule.requires}"] if rule.requires is not None else []),
        *([f"only after {' and '.join(rule.only_after)}"] if rule.only_after else []),
        *(f"only if {condition.text}" for condition in rule.only_if),
        *(["the customer must agree"] if rule.confirm else []),
    ]
    return f"{rule.tool}: {'; '.join(demands)}"


def _loaded() -> "tuple[Settings, ReplayEnvironment]":
    from assistant.replay.player.environment import environment_of
    from assistant.tenants import load_settings

    settings = load_settings()
    return settings, environment_of(settings)


def _folder(settings: "Settings") -> str:
    from assistant.assembly.config_builder import Folders
    from assistant.prompts.folder import display_path

    return display_path(Folders.of(settings).policies)
