"""Models for speech: the embedded ones, and providers' through litellm.

Begin with ``choose``: it makes the model of a name. ``whisper`` transcribes, ``hibari`` speaks, ``silero``
detects speech, all on this machine; ``hosted`` asks a provider.
"""
