"""Tools of MCP servers: child processes, or addresses that speak streamable HTTP."""
