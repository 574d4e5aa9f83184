"""What a fake model server says: events, and replies made of them."""
