"""Makes one core module of a component: what restoring an instance, and calling it fast, need.

See docs/design/one-core-module.md.
"""
