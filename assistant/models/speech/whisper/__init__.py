"""Whisper in threads of this process: from sound to features, from features to words, and doubts about them."""
