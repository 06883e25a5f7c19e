# SPDX-FileCopyrightText: The tallorder authors
# SPDX-License-Identifier: Apache-2.0
"""Whether CONTRIBUTING.md lists the files that a new thing needs, all of them and no others, and
whether the documents beside it lead somewhere. Speaks TAP.

    documents.py TALLORDER SOURCE_ROOT
"""

import re
import sys

from support import SOURCE, equal, main, test

DOCUMENTS = sorted((SOURCE / ".github").glob("*.md"))

# For each heading, one that is there already, and what the sources say of it that they would have to
# say of another one, too.
KINDS = {
    "A layout": ("wide", r"\bwide\.c|X \(wide\)|`wide`|\bwide +(│|table)"),
    "A key strategy": ("salted", r"\bsalted\.c|X \(salted\)|`salted`"),
    "A backend": ("rocksdb", r"tall_table_kind_rocksdb|X \(rocksdb\)|subdir\('rocksdb'\)|`rocksdb/`"),
    "A command": ("export", r"command/export\b|tall_command_export\b|X \(export\)|`export`|'export'"),
    "A call": ("list_customers", r"listCustomers|list_customers|TallCustomerList\b"),
}
# Sources that say it all the same: what only compares or uses the example, and its own further parts.
BESIDE = {
    "A layout": r"src/(backup|bench)/",
    "A key strategy": r"",
    "A backend": r"src/load/",
    "A command": r"src/(cli|load|backup|store/verify)/README.md",
    "A call": r"src/(cli|load|bench)/|src/(store|service)/(README|.*list)|src/store/.*(customer|pager|meson)",
}


def lists():
    """The paths below each heading, as they stand in the first column."""
    text = (SOURCE / ".github/CONTRIBUTING.md").read_text("utf-8")
    for heading, body in re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", text, re.M | re.S):
        cells = re.findall(r"^\| (`.*?) \|", body, re.M)
        yield heading, [path for cell in cells for path in re.findall(r"`(.*?)`", cell)]


@test
def headings(_):
    equal([heading for heading, _ in lists()], list(KINDS))


@test
def listed_files_name_the_example(_):
    for heading, paths in lists():
        name, _ = KINDS[heading]
        words = name.replace("_", ".?")  # also listCustomers
        for path in paths:
            file = SOURCE / path.replace("NAME", name)
            equal((path, file.exists()), (path, True))
            texts = [file.read_text("utf-8")] if file.is_file() else [one.name for one in file.iterdir()]
            named = "NAME" in path or any(re.search(words, text, re.I) for text in texts)
            equal((path, named), (path, True))


@test
def other_sources_do_not(_):
    for heading, paths in lists():
        name, pattern = KINDS[heading]
        listed = {path.replace("NAME", name).rstrip("/") for path in paths}
        found = set()
        for file in [*(SOURCE / "src").rglob("*"), *(SOURCE / "idl").glob("*"), SOURCE / "README.md"]:
            path = str(file.relative_to(SOURCE))
            inside = any(path.startswith(one + "/") for one in listed)
            beside = BESIDE[heading] and re.match(BESIDE[heading], path)
            if file.is_file() and not inside and not beside \
                    and re.search(pattern, file.read_text("utf-8"), re.M):
                found.add(path)
        equal((heading, sorted(found - listed)), (heading, []))


@test
def links_lead_somewhere(_):
    def anchor(title):
        return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")

    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", document.read_text("utf-8")):
            path, _, part = target.partition("#")
            file = document.parent / path if path else document
            equal((document.name, target, file.exists()), (document.name, target, True))
            if part:
                titles = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.M)
                equal((target, part in map(anchor, titles)), (target, True))


@test
def readme_links_each(_):
    text = (SOURCE / "README.md").read_text("utf-8")
    equal(len(DOCUMENTS), 3)
    for document in DOCUMENTS:
        equal((document.name, f"(.github/{document.name})" in text), (document.name, True))


if __name__ == "__main__":
    sys.exit(main())
