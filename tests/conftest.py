"""How Hypothesis generates examples: the same ones in every run of CI, other ones at a desk.

No example fails for being slow, since the machine may be busy.
"""

import os

from hypothesis import HealthCheck, settings

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("desk", _COMMON)
# Without a database: what an earlier run has found must not change what this one tries.
settings.register_profile("ci", _COMMON, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")
