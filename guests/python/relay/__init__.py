"""The harness: what runs a program inside the guest. Programs share its interpreter, so it keeps
its state in objects that no name leads to, and holds nothing that a program could gain by."""
