"""Makes the parts, as the settings name them."""
