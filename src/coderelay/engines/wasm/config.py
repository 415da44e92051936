"""How wasmtime is configured for every guest: interruptible and deterministic, and metered where
programs run."""

import wasmtime

STACK = 2 * 1024 * 1024 - 128 * 1024
"""The most native stack that any guest uses. Above 2 MB wasmtime wants another setting too, and
aborts the process without it."""


def metered(stack: int) -> wasmtime.Config:
    """Counts fuel besides. `stack` is the native stack that a guest may use, in bytes."""
    config = unmetered(stack)
    config.consume_fuel = True
    return config


def unmetered(stack: int) -> wasmtime.Config:
    """Can be interrupted, gives one NaN, and has no feature whose result may vary between
    processors."""
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True
    config.wasm_relaxed_simd = False
    config.wasm_threads = False
    config.memory_may_move = False
    config.max_wasm_stack = stack
    return config
