"""`make bench`: prints every measurement and whether its goal is met."""

from bench import gateway, healthz, python, session, typescript

MEASUREMENTS = (
    typescript.measure,
    python.measure,
    gateway.measure,
    healthz.measure,
    session.measure,
)


def main() -> None:
    """Measure everything."""
    for measure in MEASUREMENTS:
        for goal in measure():
            print(goal, flush=True)


if __name__ == "__main__":
    main()
