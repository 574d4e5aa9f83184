"""Spoken conversations: speech becomes messages, and messages become speech. Begin with ``session.py``.

From the customer: ``endpointing``, ``stt_loop``, ``barge_in``, ``dictation``. To the customer: ``scheduler``,
``speech_chunker``, ``text_normalization``, ``tts_player``, ``playback``. ``ports`` has the required
interfaces.
"""
