/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "layout/layout.h"
#include "table/table.h"

/**
 * TallIndexKind:
 * @TALL_INDEX_BY_DATE: a customer's orders can be listed by date; the default
 * @TALL_INDEX_NONE: they cannot, which saves a put of an order one call
 */
typedef enum
{
  TALL_INDEX_BY_DATE,
  TALL_INDEX_NONE,
} TallIndexKind;

const char *tall_index_kind_get_name (TallIndexKind self);
gboolean tall_indexes_parse (const char *text,
                             TallIndexKind *kind,
                             const char **indexes,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_indexes_print (TallIndexKind kind, const char *indexes, const char *separator);

/**
 * TallStoreSettings:
 *
 * What `init` chooses for a deployment. A migration can change the layout, the key strategy and the
 * index.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  guint64 ttl; /* seconds; 0 = orders never expire */
  TallIndexKind index;
  const char *indexes; /* the others, as tall_indexes_parse() gives them; NULL: none */

  guint regions;             /* that tables of orders and customers begin with; 0 = not said: one
                                if we make them, any number if they are there */
  const char *const *sample; /* nullable: customer numbers, one for each order looked at, for key
                                strategies that need a sample to split by */
  const char *compression;  /* of all tables but `meta`: as in #TallTableSpec; NULL = the store's */
  const char *bloom_filter; /* default. They are checked by the store that is to keep them */
  const char *block_encoding;
  const char *id; /* a unique UUID, which identifies the deployment; NULL = a random one */
} TallStoreSettings;

/**
 * TallOmission:
 * @TALL_OMIT_CLAIM: rows of an order are written without a claim
 * @TALL_OMIT_TOKEN: a commit is recognised by its revision, which others may have chosen, too
 * @TALL_OMIT_SEAL: a migration seals no table
 * @TALL_OMIT_SEAL_TOKEN: all its seals have the same token
 * @TALL_OMIT_LAST_PASS: it does not copy what came before the seal, and after the pass before
 * @TALL_OMIT_CLOSE: it closes no table
 * @TALL_OMIT_REVISION: its copies do not keep their revisions
 *
 * Something that the protocol cannot do without. A test leaves it out to show that tests notice.
 */
typedef enum
{
  TALL_OMIT_CLAIM = 1 << 0,
  TALL_OMIT_TOKEN = 1 << 1,
  TALL_OMIT_SEAL = 1 << 2,
  TALL_OMIT_SEAL_TOKEN = 1 << 3,
  TALL_OMIT_LAST_PASS = 1 << 4,
  TALL_OMIT_CLOSE = 1 << 5,
  TALL_OMIT_REVISION = 1 << 6,
} TallOmission;

/**
 * TallStoreHooks:
 *
 * Hooks for tests: time and randomness. NULL slots mean the real ones.
 */
typedef struct
{
  gint64 (*now) (gpointer data);                      /* milliseconds since the epoch */
  gint64 (*monotonic) (gpointer data);                /* microseconds */
  void (*sleep) (gint64 microseconds, gpointer data); /* waiting for another writer's claim */
  void (*make_token) (guint8 token[TALL_TOKEN_SIZE], gpointer data);
  gint64 patience; /* microseconds a foreign claim may stay unchanged; 0 = 1 s */
  guint omits;     /* #TallOmission, several of them */
  gpointer data;
} TallStoreHooks;

#define TALL_TYPE_STORE (tall_store_get_type ())
G_DECLARE_FINAL_TYPE (TallStore, tall_store, TALL, STORE, TallFront)

/* Which tables a deployment has, and how they are to be kept, without touching anything: specs,
 * the table `meta` first. NULL with %TALL_ERROR_INVALID for settings that make no sense. */
GPtrArray *tall_store_plan_tables (const TallStoreSettings *settings,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Creates the tables and the deployment record. %TALL_ERROR_CONFLICT if the deployment exists. */
gboolean tall_store_create (TallTable *table,
                            const TallStoreSettings *settings,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

GStrv tall_store_list_all (TallTable *table, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_store_drop (TallTable *table, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_store_was_dropped (TallTable *table);
gboolean tall_store_drop_generation (TallTable *table,
                                     guint64 generation,
                                     gint64 deadline,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_store_drop_source (TallTable *table,
                                 guint *n_dropped,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Opens a deployment. %TALL_ERROR_NOT_FOUND if there is none; %TALL_ERROR_CONFLICT, naming both, if
 * @layout or @key_strategy (nullable: whatever is recorded) is not what is recorded;
 * %TALL_ERROR_NEWER_VERSION if its format is newer than ours. */
TallStore *tall_store_open (TallTable *table,
                            const char *layout,
                            const char *key_strategy,
                            const TallStoreHooks *hooks,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

GPtrArray *tall_store_list_loads (TallStore *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_store_find_id (TallStore *self,
                             const char *customer_number,
                             guint64 *id,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
GArray *tall_store_list_hints (TallStore *self, const TallOrderKey *key, const TallOrder *order);
TallTable *tall_store_get_table (TallStore *self);
TallTable *tall_store_get_counting (TallStore *self);
const TallLayout *tall_store_get_layout (TallStore *self);
const TallKeyStrategy *tall_store_get_key_strategy (TallStore *self);
