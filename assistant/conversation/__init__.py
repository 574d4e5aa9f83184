"""The vocabulary: everything the other rooms talk about, as plain values without behaviour of their own."""
