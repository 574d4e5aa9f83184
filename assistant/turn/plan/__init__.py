"""In which order the calls of a decision run, and which of them need not run at all."""
