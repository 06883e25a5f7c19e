/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/files.h"

G_BEGIN_DECLS

/**
 * TallSurvey:
 *
 * What a first pass over files of orders finds: which orders cannot be assembled where their rows
 * stand, because these do not follow each other, or because a row elsewhere in the files, which
 * cannot be read, may be one of theirs. It may take other orders for such ones, and never the other
 * way round.
 *
 * It takes up to 48 MiB, however many orders there are (#TallDigestFilter). Not thread-safe.
 */
typedef struct _TallSurvey TallSurvey;

/**
 * TallSurveyTick:
 *
 * Called every now and then while the files are read.
 */
typedef void (*TallSurveyTick) (gpointer data);

TallSurvey *tall_survey_make (const TallLoadFiles *files,
                              const char *folder,
                              TallSurveyTick tick,
                              gpointer data,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_survey_free (TallSurvey *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSurvey, tall_survey_free)

gboolean tall_survey_begin_order (TallSurvey *self, const char *customer, const char *order);
gboolean tall_survey_agrees (const TallSurvey *self);
guint64 tall_survey_estimate (const TallSurvey *self);

G_END_DECLS
