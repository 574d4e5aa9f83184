"""How the requests of a handoff are those of Chatwoot, as an example of another program."""
