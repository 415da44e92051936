"""Configures wasmtime: all guests are deterministic and can be interrupted; some count fuel."""

import wasmtime

STACK = 2 * 1024 * 1024 - 128 * 1024
"""The native stack of a guest, at most, in bytes. Above 2 MB, wasmtime aborts the process unless
another setting is changed, too."""


def metered(stack: int) -> wasmtime.Config:
    """Return a configuration that counts fuel. `stack` is the guest's native stack, in bytes."""
    config = unmetered(stack)
    config.consume_fuel = True
    return config


def unmetered(stack: int) -> wasmtime.Config:
    """Return a configuration without fuel, for guests that run no programs.

    It is deterministic: there is one NaN, and no feature whose results differ between processors.
    """
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True
    config.wasm_relaxed_simd = False
    config.wasm_threads = False
    config.memory_may_move = False
    config.max_wasm_stack = stack
    return config
