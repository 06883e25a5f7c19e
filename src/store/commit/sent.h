/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/commit.h"

G_BEGIN_DECLS

/**
 * TallSent:
 *
 * Commits of one operation that were sent before the tables were shut, and that may have been done,
 * or may still be. All of them have the operation's token. A plain value.
 */
struct _TallSent
{
  gint64 revision;    /* the least of theirs */
  guint64 generation; /* of the tables that the last one was sent to */
  TallRoot expected;  /* by the last one; those before it expected what is replaced by now */
};

void tall_sent_note (TallOperation *operation,
                     const TallRoot *expected,
                     const TallState *committed,
                     gboolean lost);
TallStep tall_sent_settle (TallOperation *operation,
                           const TallRoot *root,
                           const TallState *wanted,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What commits have in common with these. */
gboolean
tall_sent_was_before (const TallOperation *operation, const TallState *state, gint64 revision);
void tall_sent_fail_unknown (GError **error, const char *reason, const GError *cause);

G_END_DECLS
