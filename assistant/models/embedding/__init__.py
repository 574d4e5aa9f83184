"""Models that turn texts into vectors: the embedded one, and providers' through litellm.

Begin with ``choose``: it makes the model of a name.
"""
