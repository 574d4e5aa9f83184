"""Models that hear and speak: the embedded ones, and providers' through litellm.

Begin with ``choose``: it makes the model of a name. ``whisper`` hears, ``hibari`` speaks, ``silero`` tells speech
from noise, all on this machine; ``hosted`` asks a provider.
"""
