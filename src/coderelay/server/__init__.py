"""The gateway over HTTP: settings, admission, worker threads, and nothing kept between requests.

`coderelay.server.app.create_app` makes the application, `coderelay.server.launch.serve` runs it;
the package itself imports neither, so that a command that serves nothing starts quickly.
"""

from coderelay.server.settings import SCRIPTED, InvalidSetting, Settings

__all__ = ["SCRIPTED", "InvalidSetting", "Settings"]
