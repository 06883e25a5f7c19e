/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/strategy.h"
#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallKeyTemplate:
 *
 * What the row keys of an index consist of: parts, each of which gives bytes. What they have not
 * named of the key parts of customer and order follows, so that each order has a row of its own
 * under each key. README.md draws the bytes.
 */
typedef struct _TallKeyTemplate TallKeyTemplate;

/* More parts are refused: the longest key fits into a row key. */
#define TALL_KEY_MOST_PARTS 8

TallKeyTemplate *tall_key_template_parse (const char *text,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_key_template_free (TallKeyTemplate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallKeyTemplate, tall_key_template_free)

const char *tall_key_template_get_text (const TallKeyTemplate *self);
gboolean tall_key_template_is_of_state (const TallKeyTemplate *self);
gboolean tall_key_template_begins_with_customer (const TallKeyTemplate *self);
gboolean tall_key_template_may_repeat (const TallKeyTemplate *self, guint n_values);
gboolean tall_key_template_has_fields (const TallKeyTemplate *self,
                                       const char *const *fields,
                                       guint n,
                                       const char *next);

void tall_key_template_append_keys (const TallKeyTemplate *self,
                                    const TallOrderKey *key,
                                    const TallOrder *order,
                                    TallSlice before,
                                    GPtrArray *keys);
gboolean tall_key_template_split (const TallKeyTemplate *self,
                                  const TallKeyStrategy *strategy,
                                  TallSlice key,
                                  TallSlice *customer,
                                  TallSlice *order);

/**
 * TallKeyQuery:
 *
 * Which keys are looked for: those whose leading parts have just these values, and whose next part
 * lies in a range. A plain value.
 */
typedef struct
{
  const char *const *values; /* n_values texts, one for each of the leading parts */
  guint n_values;
  const char *from;   /* of the next part; NULL: from the least on */
  const char *to;     /* the first one not wanted; NULL: to the end */
  TallSlice customer; /* key part of the customer that the values name */
} TallKeyQuery;

gboolean tall_key_template_check (const TallKeyTemplate *self,
                                  const TallKeyQuery *query,
                                  const char **customer_number,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_key_template_append_range (const TallKeyTemplate *self,
                                         const TallKeyStrategy *strategy,
                                         const TallKeyQuery *query,
                                         GByteArray *start,
                                         GByteArray *stop,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_key_template_append_splits (const TallKeyTemplate *self,
                                      const TallKeyStrategy *strategy,
                                      guint n_regions,
                                      const char *const *sample,
                                      GPtrArray *splits);

G_END_DECLS
