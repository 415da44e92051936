"""Source that runs inside the sandbox: `sdk.py` is read as text, and never imported here."""
