"""Tools of MCP (Model Context Protocol) servers, as far as an operator has approved them."""
