"""Sound as it is carried: its rates, its coding on telephones, and what is played between words."""
