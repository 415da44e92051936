"""The demo: samples, scenarios, and a server to be killed."""

from coderelay.cli.demo.command import demo
from coderelay.cli.demo.samples import SAMPLES, examples, programs

__all__ = ["SAMPLES", "demo", "examples", "programs"]
