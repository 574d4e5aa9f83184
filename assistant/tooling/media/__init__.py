"""Pictures and files on their way from a tool to everybody who sees them."""
