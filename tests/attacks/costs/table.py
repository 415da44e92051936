"""All cases of all modules in this folder that have some."""

from importlib import import_module
from pkgutil import iter_modules

from tests.attacks import costs
from tests.attacks.costs import Case

_MODULES = (import_module(f"{costs.__name__}.{each.name}") for each in iter_modules(costs.__path__))
CASES: tuple[Case, ...] = tuple(
    case for module in _MODULES for case in getattr(module, "CASES", ())
)
