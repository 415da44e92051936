"""The guest's exports; `componentize-py` takes this module's memory as the image."""

import gc
import sys

import wit_world
from relay import preload, stdlib
from relay.exports import Exports

stdlib.carry()
exports = Exports(wit_world)
exports.rehearse()


class WitWorld(wit_world.WitWorld):
    """The exports of `world.wit`."""

    def warm(self) -> None:
        exports.warm()

    def compile(self, source: str) -> str:
        return exports.compile(source)

    def start(self, code: str, source: str, setup: str) -> None:
        exports.start(code, source, setup)

    def resume(self, results: str) -> None:
        exports.resume(results)

    def begin(self, setup: str) -> None:
        exports.begin(setup)

    def cell(self, number: str, source: str) -> None:
        exports.cell(number, source)


for name in [*sys.modules]:
    if name.split(".")[0] in ("relay", "tzdata"):
        del sys.modules[name]
del preload, stdlib, name
sys.path.clear()  # there are no files: what is not imported or carried is not there
sys.path_importer_cache.clear()
gc.collect()
gc.freeze()
