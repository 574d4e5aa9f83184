"""Whisper in threads of this process.

Begin with ``model`` (the port). ``transcribe`` goes from sound to text, window by window; ``features`` is what
Whisper looks at instead of sound, ``vocabulary`` its words, ``engine`` the weights in ctranslate2.
"""
