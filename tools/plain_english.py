# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Finds phrases that make comments, documents and messages hard to read.

A file becomes its prose: the same lines, without code. BREAK stands wherever a text begins or ends:
a comment, a string, a paragraph, a cell of a table.
"""

import re

BREAK = "\x01"

# The name of a rule, its pattern, and what to write instead. A blank in a pattern is any white
# space, {start} the beginning of a text or of a sentence.
RULES = (
    ("who", r"{start}(?:Who|Whose)\b(?![^.!?\x01]*\?)|; who\b",
     "“who” as the subject of a sentence: name the caller, process or row, and begin with it"),
    ("that", r"{start}That\b",
     "a sentence that begins with “That”: begin with its subject, or with “This”"),
    ("to-who", r"\b(?i:to|from|for|with|by) who\b",
     "“to who …”: name it, as in “for a caller that …”"),
    ("told", r"\b(?:tell|tells|telling|told) of\b"
     r"|\b(?:is|are|was|were|be|been|being) (?:only |not )?told\b(?! (?:apart|from|to)\b)",
     "“tells of”, “is told”: something reports, logs or shows, and a caller gets an error"),
    ("he", r"\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b",
     "“he”: a process, a client or a caller is “it”"),
    ("tables-whose", r"\bis on tables whose\b",
     "“it is on tables whose …”: “it applies to tables that …”"),
    ("in-vain", r"\bin vain\b", "“in vain”: say what was missing, as in “without a connection”"),
    ("of-late", r"\bof late\b", "“of late”: “recent” or “recently”"),
    ("lest", r"\blest\b", "“lest”: “so that … not”"),
    ("loses-memory", r"\bloses? memory\b", "“loses memory”: “leaks memory”"),
)

START = rf"(?:{BREAK}|[.!?:][\"”’)\]*_]*\s)[\s\-*_“\"‘(\[]*"
COMPILED = [(name, re.compile(pattern.replace(" ", r"\s+").replace("{start}", START)), advice)
            for name, pattern, advice in RULES]

STRING = r'"(?:\\.|[^"\\\n])*"'
C_PIECES = re.compile(
    rf"(?P<comment>/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)|(?P<string>{STRING}(?:\s*{STRING})*)"
    r"|'(?:\\.|[^'\\\n])*'", re.S)
SCRIPT_PIECES = re.compile(
    r'(?P<comment>""".*?"""|(?<!\S)#[^\n]*(?:\n[ \t]*#[^\n]*)*)'
    rf"|\br(?:{STRING}|'[^'\n]*')|(?P<string>{STRING}(?:\s*f?{STRING})*)|'(?:\\.|[^'\\\n])*'", re.S)
C_SUFFIXES = {".c", ".h", ".go", ".proto", ".thrift"}


def bare_comment(text):
    """A comment without its marks; an empty line ends a paragraph."""
    text = re.sub(r'\A(?:/\*+|""")|(?:\*/|""")\Z', "", text)
    text = re.sub(r"^[ \t]*(?:\*|//|#+)", "", text, flags=re.M)
    return re.sub(r"^[ \t]*$", BREAK, text, flags=re.M)


def prose_of_code(text, pieces, with_strings):
    prose, at = [], 0
    for match in pieces.finditer(text):
        prose.append("\n" * text.count("\n", at, match.start()))
        at = match.end()
        if match["comment"]:
            prose += BREAK, bare_comment(match[0]), BREAK
        elif match["string"] and with_strings:
            prose += BREAK, re.sub(r'"|(?<=")\s*f(?=")|\\n', " ", match[0]), BREAK
        else:
            prose.append("\n" * match[0].count("\n"))
    return "".join(prose)


def prose_of_document(text):
    """Markdown without its code. A cell, a heading and an item of a list are texts of their own."""
    prose, is_code = [], False
    for line in text.split("\n"):
        is_fence = line.startswith("```")
        is_code ^= is_fence
        if is_fence or is_code or line.startswith("    "):
            line = ""
        if line.startswith("#"):
            line += BREAK
        line = re.sub(r"`[^`]*`", "x", line)
        prose.append(re.sub(r"^\s*(?:[-*]|\d+\.)(?= )|^#+|\||^\s*$", BREAK, line))
    return BREAK + "\n".join(prose)


def find(path, text, with_strings):
    """(line, rule, message) of every phrase in a file."""
    if path.suffix == ".md":
        prose = prose_of_document(text)
    else:
        pieces = C_PIECES if path.suffix in C_SUFFIXES else SCRIPT_PIECES
        prose = prose_of_code(text, pieces, with_strings)
    for name, pattern, advice in COMPILED:
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.end() - 1) + 1, name, advice
