"""Models that turn texts into vectors: the embedded one, and providers' through litellm."""
