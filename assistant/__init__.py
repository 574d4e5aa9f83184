"""Meanwhile: a customer-service assistant that says what it is looking up while it looks it up."""
