"""One module for each client API: pure translation to and from a conversation."""
