"""What the direct clients share: connections, reading of events, time-outs, and what refusals mean."""
