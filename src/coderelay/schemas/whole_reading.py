"""Reads a schema as its declaration does, and keeps the keywords that types do not express."""

from collections.abc import Mapping

from coderelay.core import Json, Schema
from coderelay.schemas.schema_reader import SchemaReader
from coderelay.schemas.type_model import UNKNOWN, NamedType, Object, Property, Shape
from coderelay.schemas.unshown_names import has_unshown_words


class WholeReading(SchemaReader):
    """The types of a schema, as they are declared. A part with keywords that types do not express
    becomes a named type, so that these keywords are found wherever the type is used."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.unshown: dict[str, Mapping[str, Json]] = {}
        """The parts with such keywords, by the names of their types."""
        self._shapes: dict[str, Shape] = {}
        self._named: dict[str, NamedType] = {}
        self._names: dict[int, tuple[Mapping[str, Shape], bool]] = {}
        self.root: Shape = self.read().shape

    def target(self, reference: str) -> Shape:
        """The type with this name."""
        found = self._shapes.get(reference)
        return self._definitions[reference].shape if found is None else found

    def names(self, shape: Object) -> tuple[Mapping[str, Shape], bool]:
        """The types of an object's properties, by their names; and whether the schema says more
        about them than that they are required."""
        found = self._names.get(id(shape))
        if found is None:
            names = {each.name: each.shape for each in shape.properties}
            described = any(each != Property(each.name, UNKNOWN, True) for each in shape.properties)
            found = self._names[id(shape)] = names, described
        return found

    def _shape(self, schema: Json, depth: int, owner: str | None) -> Shape:
        shape = super()._shape(schema, depth, owner)
        if not isinstance(schema, dict) or not has_unshown_words(schema):
            return shape
        reference = f"unshown {len(self.unshown)}"
        self.unshown[reference] = schema
        # As in a declaration, an object about which the schema says nothing does not change the
        # types beside it. A definition does: it is declared as a type that may have any property.
        plain = depth > 0 and shape == Object()
        self._shapes[reference] = UNKNOWN if plain else shape
        return NamedType(reference)

    def _reference(self, reference: str, owner: str | None) -> Shape:
        shape = super()._reference(reference, owner)
        if isinstance(shape, NamedType):  # one object for each name, by which types are compared
            return self._named.setdefault(shape.reference, shape)
        return shape
