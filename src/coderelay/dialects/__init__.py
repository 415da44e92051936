"""The dialects: one package for each client API, which translates it to and from a conversation
without I/O."""
