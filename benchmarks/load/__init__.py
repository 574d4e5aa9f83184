"""The whole server in a process of its own, to be measured from outside."""
