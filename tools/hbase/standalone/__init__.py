# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A real HBase on this machine, for tests and the demo: see README.md one folder up."""


class ToolError(Exception):
    """Something that the person at the shell has to read; the text says what to do."""


class UsageError(ToolError):
    """The command was called in a way that cannot be meant."""
