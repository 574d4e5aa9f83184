"""What an answer to a read-back agrees to, and what stands beside it. In doubt it agrees to nothing."""
