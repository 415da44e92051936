"""The HTTP server: settings, admission, worker threads and streaming. It stores nothing between
requests.

`coderelay.server.app.create_app` makes the application, `coderelay.server.launch.serve` runs it;
the package itself imports neither, so that a command that serves nothing starts quickly.
"""

from coderelay.server.settings import SCRIPTED, InvalidSetting, Settings

__all__ = ["SCRIPTED", "InvalidSetting", "Settings"]
