/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/loader.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallProgress:
 *
 * How far a load is.
 */
typedef struct
{
  TallLoadStage stage;
  guint64 items;    /* orders or customers that are done */
  const char *done; /* what they are then */
  guint64 rows;     /* read */
  guint64 rejected; /* of these */
  guint64 position; /* bytes, or rows put aside, that the stage has done */
  guint64 size;     /* and has to do; 0: not known */
} TallProgress;

/* A bar on standard error, a few times a second; a line every ten seconds if that is not a
 * terminal. One load at a time. */
void tall_progress_show (const TallProgress *progress);
void tall_progress_show_text (const char *text);
void tall_progress_append_bar (GString *line, guint64 position, guint64 size);
void tall_progress_clear (void);

const gint *tall_stop_on_signals (void);

G_END_DECLS
