"""Tools of other makers: servers of the Model Context Protocol, as far as somebody here has approved them."""
