"""What tests are made of: virtual time, counted ids, scripted models."""
