"""`python -m coderelay` is the command line."""

from coderelay.cli import main

if __name__ == "__main__":
    main()
