"""Holds a conversation that was played to what is expected of it. Pure: nothing here waits or remembers."""
