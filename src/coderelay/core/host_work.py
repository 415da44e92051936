"""What the host does for a program's calls is counted, and paid from the program's fuel."""


class Work:
    """The cost of one answer of the host so far, in fuel."""

    def __init__(self) -> None:
        self.fuel = 0

    def add(self, fuel: int) -> None:
        """Add to the cost."""
        self.fuel += fuel
