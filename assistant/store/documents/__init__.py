"""Documents in the house's own file: kept, deleted for good, and searched by meaning without a server."""
