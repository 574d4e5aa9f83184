"""Declaring tools: from a CRM team's function and what it says of it to a tool."""
