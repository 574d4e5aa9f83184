"""Tools of MCP (Model Context Protocol) servers. Only tools that an operator has approved are used."""
