"""Models that hear and speak: the embedded ones, and providers' through litellm."""
