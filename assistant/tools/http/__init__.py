"""Tools that are written down as HTTP requests in a TOML file, without any Python."""
