"""What is written: words, sentences, and the values in them. Pure functions."""
