"""Measures Coderelay against its peers, in one run, as ratios."""
