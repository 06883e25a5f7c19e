"""A server tells
of a dead gateway."""
