"""Writes the log: one line of JSON for each event. The content of requests is never logged."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("coderelay.server")


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON, with the fields in `extra={"fields": {...}}`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a record."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)  # ASCII, because some readers end lines at U+2028


def log(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Write an event."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, event, extra={"fields": fields})


def log_bug(event: str, error: BaseException, **fields: object) -> None:
    """Write an event with its traceback, for a bug in the server."""
    LOGGER.error(event, exc_info=error, extra={"fields": fields})


def configuration(level: str) -> Mapping[str, Any]:
    """Return a configuration for `logging.config.dictConfig`: this package's and uvicorn's lines go
    to standard error in the same format."""
    ours = {"handlers": ["lines"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": "coderelay.server.logs.JsonLines"}},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": {"coderelay": ours, "uvicorn": ours},
    }
