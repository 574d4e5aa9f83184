"""Tools that are declared as HTTP requests in a TOML file, without Python."""
