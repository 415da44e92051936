"""What runs in the guest: `sdk.py` is read as text, and never imported here."""
