"""One suite over every dialect: what a client may rely on, whichever API it speaks."""
