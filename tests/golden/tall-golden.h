/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Files beside the tests that hold what is stored, a cell a line: table, row key in hex with its
 * parts apart, qualifier, timestamp, value; tabs between them, values as HBase's shell shows them.
 *
 * TALL_GOLDEN_UPDATE=1 writes the files instead. A file that changes means that the format changed:
 * then FORMAT.md gets a new number, and the old file stays, for the reader of the old format. */

/* Fails the test, with the lines that differ, unless tests/golden/@name holds @text. */
void tall_golden_check (const char *name, const char *text);

G_END_DECLS
