"""What every WebAssembly guest shares: compiling, fuel, limits, the backstop, and the ledger."""
