# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""A real HBase on this machine, for tests and the demo: see README.md one folder up."""


class ToolError(Exception):
    """An error for the user at the shell; the text says what to do."""


class UsageError(ToolError):
    """The command was called in a wrong way."""
