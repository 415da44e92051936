"""The build hook: a wheel carries its guests, so that all who install it run the same images."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GuestBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the guests before the wheel, or the editable install, is put together."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling."""
        root = str(Path(self.root))
        sys.path.insert(0, root)
        try:
            from guests.build import build_all

            build_all(self.app.display_info)
        finally:
            sys.path.remove(root)
