"""The engines: each runs programs of one language in a sandbox of its own."""
