"""One line of JSON for each event. Of a request it says who, what, how long, and no content."""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("coderelay.server")


class JsonLines(logging.Formatter):
    """A record as one line; what was given as `extra={"fields": {...}}` stands beside it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)  # as ASCII: no reader takes U+2028 for a line's end


def log(event: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Write an event."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, event, extra={"fields": fields})


def log_bug(event: str, error: BaseException, **fields: object) -> None:
    """Write an event with its traceback: the fault is ours."""
    LOGGER.error(event, exc_info=error, extra={"fields": fields})


def configuration(level: str) -> Mapping[str, Any]:
    """For `logging.config.dictConfig`: ours and uvicorn's lines alike, to standard error."""
    ours = {"handlers": ["lines"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": "coderelay.server.logs.JsonLines"}},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": {"coderelay": ours, "uvicorn": ours},
    }
