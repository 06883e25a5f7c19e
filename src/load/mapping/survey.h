/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/files.h"

#include <glib.h>

G_BEGIN_DECLS

#define TALL_DIGEST_SIZE 16 /* bytes */

/* Which digests came before, in memory that does not grow: a Bloom filter in blocks of a cache line
 * (Putze, Sanders and Singler, 2007). It never forgets one, and sometimes takes a new one for one
 * that came before: with 16 bits for each digest about one in 1,000, with 4 bits one in 4. Not
 * thread-safe. */
typedef struct _TallDigestFilter TallDigestFilter;

TallDigestFilter *tall_digest_filter_new (gsize bytes);
void tall_digest_filter_free (TallDigestFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDigestFilter, tall_digest_filter_free)

gboolean tall_digest_filter_add (TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE]);
gboolean tall_digest_filter_contains (const TallDigestFilter *self,
                                      const guint8 digest[TALL_DIGEST_SIZE]);

/* What a first pass over files of orders finds: which orders cannot be assembled where their rows
 * stand, because these do not follow each other, or because a row elsewhere in the files, which
 * cannot be read, may be one of theirs. It may take other orders for such ones, and never the other
 * way round. It takes up to 48 MiB, however many orders there are (#TallDigestFilter). Not
 * thread-safe. */
typedef struct _TallSurvey TallSurvey;

/* Called every now and then while the files are read. */
typedef void (*TallSurveyTick) (gpointer data);

TallSurvey *tall_survey_new (const TallMapping *mapping);
void tall_survey_push (TallSurvey *self, const TallCsvRow *row);
void tall_survey_end (TallSurvey *self);
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
