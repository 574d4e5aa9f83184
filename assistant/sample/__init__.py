"""Example conversations of the demo shop, so that every screen of the console shows something.

They are scripts like recorded conversations, in ``conversations``. ``sample`` plays them through the real turn on a
virtual clock, stores what comes of it, and removes it again.
"""
