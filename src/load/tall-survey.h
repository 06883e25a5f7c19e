/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-csv-reader.h"
#include "tall-mapping.h"
#include "tall-md5.h"

G_BEGIN_DECLS

/**
 * TallTrouble:
 *
 * Why no part of an order may be stored, as seen from anywhere in the file.
 */
typedef struct
{
  guint8 digest[TALL_MD5_SIZE]; /* of customer and order number */
  guint64 first;                /* the line where the order begins; 0: not known yet */
  guint64 again;                /* the line where it begins for the second time; 0: it does not */
  guint64 spoiled;              /* the line of an unreadable row that may be its; 0: none */
} TallTrouble;

/**
 * TallSurvey:
 *
 * What a first pass over a file of orders finds: orders whose rows do not follow each other, and
 * orders that a row elsewhere in the file, which cannot be read, may belong to.
 *
 * While it reads it keeps a digest of every order (#TallDigestSet); then only the orders in
 * trouble, about 80 bytes each. Not thread-safe.
 */
typedef struct _TallSurvey TallSurvey;

/**
 * TallSurveyTick:
 *
 * Called every now and then while the file is read.
 */
typedef void (*TallSurveyTick) (gpointer data);

TallSurvey *tall_survey_make (TallCsvReader *reader,
                              const TallMapping *mapping,
                              const char *folder,
                              TallSurveyTick tick,
                              gpointer data,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_survey_free (TallSurvey *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallSurvey, tall_survey_free)

void tall_survey_begin_order (
    TallSurvey *self, const char *customer, const char *order, guint64 line, TallTrouble *trouble);
gboolean tall_survey_agrees (const TallSurvey *self);
guint64 tall_survey_count_apart (const TallSurvey *self);

G_END_DECLS
