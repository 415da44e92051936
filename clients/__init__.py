"""Real clients, each at a pinned version and in its own environment, against a real server."""
