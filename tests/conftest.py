"""What all tests need: Ctrl-C that works, and how Hypothesis generates examples.

Hypothesis generates the same examples in every run of CI, and others at a desk. No example fails
for being slow, since the machine may be busy.
"""

import os
import signal

from hypothesis import HealthCheck, settings

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("desk", _COMMON)
# Without a database: what an earlier run has found must not change what this one tries.
settings.register_profile("ci", _COMMON, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

# A shell starts background jobs with SIGINT ignored, and the processes that tests start would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
