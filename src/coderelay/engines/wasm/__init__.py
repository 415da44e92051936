"""What all WebAssembly guests share: compiling, fuel, limits, timeouts, and threads."""
