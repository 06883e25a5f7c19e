/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallHistory:
 *
 * The record of what clients asked and of the answers that they got: a file of JSON lines, one when
 * a call begins and one when it has returned, in one write each, so that it is whole up to the
 * moment at which the process is killed. Every thread may write. Times are nanoseconds of
 * CLOCK_MONOTONIC, which all processes of a machine share.
 */
typedef struct _TallHistory TallHistory;

TallHistory *
tall_history_open (const char *path, const char *process, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_history_close (TallHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHistory, tall_history_close)

gint64 tall_history_now (void);
const char *tall_history_get_process (const TallHistory *self);
guint tall_history_invoke (TallHistory *self, guint thread, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void tall_history_return (TallHistory *self, guint call, gint64 time, const char *fields);
void tall_history_append_text (GString *line, const char *name, const char *text);

G_END_DECLS
