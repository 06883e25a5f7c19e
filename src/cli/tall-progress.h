/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-loader.h"

G_BEGIN_DECLS

/* A bar on standard error, if that is a terminal, a few times a second. One load at a time. */
void tall_progress_show (TallLoadStage stage,
                         const TallLoadSummary *summary,
                         guint64 position,
                         guint64 size,
                         gpointer data);
void tall_progress_show_text (const char *text);
void tall_progress_clear (void);

G_END_DECLS
