/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

typedef struct _TallKeyStrategy TallKeyStrategy;

/**
 * TallKeyStrategy:
 *
 * How numbers become row keys. An order's row key is customer part + order part; layouts add to it
 * what they need. A strategy is stateless and does no I/O. It is complete if every slot below is
 * set, except where a comment says otherwise, which tall_key_strategy_check() makes sure of; a new
 * strategy is one new file, an entry in TALL_KEY_STRATEGIES and a line in meson.build.
 */
struct _TallKeyStrategy
{
  const char *name;    /* as in `--key NAME` and in the deployment record; never changed */
  const char *summary; /* one line for people: the form and what it is for */

  /* TRUE if the customer part is made from a substituted id, which the store looks up first. */
  gboolean needs_id;

  /* Appends the customer part. @number is valid UTF-8 without control characters, 1 … 128 bytes;
   * @id is 0 unless needs_id. Must append at least one byte, must not be a proper prefix of another
   * customer's part. */
  void (*append_customer) (const char *number, guint64 id, GByteArray *key);

  /* Appends the order part, under the same rules. */
  void (*append_order) (const char *number, GByteArray *key);

  /* Length in bytes of the customer (order) part that @key begins with; -1 if @key does not begin
   * with one. What is stored may be damaged, so @key can be anything. */
  gssize (*measure_customer) (TallSlice key);
  gssize (*measure_order) (TallSlice key);

  /* The id that a customer part was made from. @part: any bytes that measure_customer takes for a
   * whole one. May be NULL unless needs_id. */
  guint64 (*parse_id) (TallSlice part);

  /* Appends to @splits (#GByteArray each, owned by it) the @n_regions - 1 row keys at which a table
   * is to be split, ascending, none empty, so that customers are spread evenly. @n_regions is 2 …
   * TALL_MAX_REGIONS. They are chosen among the bytes that customer parts really consist of, so
   * that every region can get rows. Where these bytes are not known, they come from @sample:
   * customer numbers, ended by NULL, one for each sampled order; NULL = no sample. A split must not
   * be longer than a customer part that it begins with, so that no customer is split. FALSE with
   * TALL_ERROR_INVALID, saying what to do, if it cannot be done. */
  gboolean (*append_splits) (guint n_regions,
                             const char *const *sample,
                             GPtrArray *splits,
                             GError **error);
};

#define TALL_MAX_REGIONS                                                                           \
  4096 /* of one table when it is made: HBase keeps each open at some cost                         \
        */

GPtrArray *tall_key_strategy_make_splits (const TallKeyStrategy *self,
                                          guint n_regions,
                                          const char *const *sample,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

const TallKeyStrategy *const *tall_key_strategies (guint *n);
const TallKeyStrategy *tall_key_strategy_find (const char *name, GError **error);
const TallKeyStrategy *tall_key_strategy_choose (const char *name, GError **error);
void tall_key_strategy_check (const TallKeyStrategy *self);

/* The default first. */
#define TALL_KEY_STRATEGIES(X)                                                                     \
  X (hashed)                                                                                       \
  X (raw)                                                                                          \
  X (salted)                                                                                       \
  X (reversed)                                                                                     \
  X (numeric)

#define TALL_DECLARE_KEY_STRATEGY(name) extern const TallKeyStrategy tall_key_##name;
TALL_KEY_STRATEGIES (TALL_DECLARE_KEY_STRATEGY)
#undef TALL_DECLARE_KEY_STRATEGY

/* Parts that several strategies share: the MD5 of a number, and the number as it is. Each fills the
 * slot of #TallKeyStrategy that it is named after. */
void tall_key_md5_append_order (const char *number, GByteArray *key);
gssize tall_key_md5_measure (TallSlice key);
void tall_key_text_append_order (const char *number, GByteArray *key);
gssize tall_key_text_measure (TallSlice key);

/* Split points. Each function appends to @splits as the slot append_splits does. */
gboolean tall_key_splits_append_bytes (guint n_regions,
                                       const char *const *sample,
                                       GPtrArray *splits,
                                       GError **error);
void tall_key_splits_append_digits (guint n_regions, GPtrArray *splits);
gboolean tall_key_splits_append_sample (const TallKeyStrategy *strategy,
                                        guint n_regions,
                                        const char *const *sample,
                                        GPtrArray *splits,
                                        GError **error);

/**
 * TallOrderKey:
 *
 * The row key of one customer or order, in its two parts. A plain value; its slices point into
 * @bytes.
 */
typedef struct
{
  GByteArray *bytes;  /* owned: customer part + order part */
  TallSlice whole;    /* all of it */
  TallSlice customer; /* the customer part: prefix of everything that belongs to the customer */
  TallSlice order;    /* the order part; empty for a customer's key */
} TallOrderKey;

void tall_order_key_init (TallOrderKey *self,
                          const TallKeyStrategy *strategy,
                          const char *customer_number,
                          guint64 customer_id,
                          const char *order_number);
void tall_order_key_init_from_parts (TallOrderKey *self, TallSlice customer, TallSlice order);
void tall_order_key_set_order (TallOrderKey *self, TallSlice order);
void tall_order_key_clear (TallOrderKey *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallOrderKey, tall_order_key_clear)
