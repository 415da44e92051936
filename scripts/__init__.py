"""What a developer runs by way of the Makefile."""
