"""For all tests: no deadline on a generated example, since the machine may be busy."""

from hypothesis import settings

settings.register_profile("busy", deadline=None)
settings.load_profile("busy")
