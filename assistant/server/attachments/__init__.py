"""Pictures and files that tools gave, as customers and operators see them."""
