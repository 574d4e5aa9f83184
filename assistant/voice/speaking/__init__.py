"""The mouth: pieces become clips of sound, in order, and how much of them was heard is known."""
