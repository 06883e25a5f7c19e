"""A client serves until it is told to stop; that is its end."""
import re

HE = re.compile(r"\bhe\b")  # a pattern is no text
