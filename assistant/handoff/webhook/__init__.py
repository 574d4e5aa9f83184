"""A desk that is another program: told by signed requests, which are tried again until they are taken."""
