/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "cli/json-file.h"

G_BEGIN_DECLS

/* How many objects are put at once: at most, and if nothing is said. */
#define TALL_PUT_MAX_JOBS 16
#define TALL_PUT_JOBS 8

/**
 * TallPutBatch:
 *
 * Objects of a JSON file that are stored at once. Those of one order, or of one customer, are
 * stored one after the other, in the order of the file. Zeroed at first.
 */
typedef struct
{
  TallJsonItem items[TALL_PUT_MAX_JOBS]; /* owned; a failed put sets the error */
  gint64 revisions[TALL_PUT_MAX_JOBS];   /* of those that are stored */
  guint n;
  guint n_tried; /* the first ones */
} TallPutBatch;

void tall_put_batch_clear (TallPutBatch *self);
TallJsonStep tall_put_batch_read (TallPutBatch *self,
                                  TallJsonFile *file,
                                  guint jobs,
                                  const gint *stop,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_put_batch_store (TallPutBatch *self, TallFront *front, const TallWriteOptions *options);
guint64 tall_put_batch_find_stop (const TallPutBatch *self, guint64 next);
char *tall_put_batch_advise (const TallPutBatch *self, guint64 next) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
