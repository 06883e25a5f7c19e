/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

TALL_BEGIN_API

/**
 * TallBulkExisting:
 * @TALL_BULK_REPORT: it is left, and its result is a conflict
 * @TALL_BULK_SKIP: it is left
 * @TALL_BULK_REPLACE: it is replaced
 *
 * What a load does with an order or customer that is stored already, with another content. A load
 * that is started again must not overwrite what people have changed since, so the first is usual.
 * Of one that was deleted nothing is left: to a load it is new.
 */
typedef enum
{
  TALL_BULK_REPORT,
  TALL_BULK_SKIP,
  TALL_BULK_REPLACE,
} TallBulkExisting;

/**
 * TallBulkOptions:
 *
 * How a load goes. All zero, or a NULL pointer to it: what exists is reported.
 */
struct _TallBulkOptions
{
  TallBulkExisting on_existing;
  gboolean assume_new; /* the caller promises that none of the orders is stored, and that nobody
                        * else writes or repairs them meanwhile: they need not be looked at first.
                        * Orders that were deleted are new */
  const char *name;    /* what is loaded, for people, such as the name of a file; NULL: not said */
};

/**
 * TallBulkOutcome:
 * @TALL_BULK_STORED: it was new, and is stored
 * @TALL_BULK_UNCHANGED: the same was there already; nothing was done
 * @TALL_BULK_REPLACED: another content was there, and is replaced
 * @TALL_BULK_SKIPPED: another content is there, and is left
 * @TALL_BULK_OVERTAKEN: it was new, but somebody else was faster; theirs is left
 * @TALL_BULK_REFUSED: it is not stored, or perhaps is (%TALL_ERROR_OUTCOME_UNKNOWN); the error says
 *   why. After a passing error (see tall_error_is_passing()) or an unknown outcome it may be put
 *   again: if it was stored after all, it is unchanged then
 * @TALL_BULK_REVIVED: it had been deleted, and is stored again. Only a store knows that; a load
 *   through a server calls it stored
 */
typedef enum
{
  TALL_BULK_STORED,
  TALL_BULK_UNCHANGED,
  TALL_BULK_REPLACED,
  TALL_BULK_SKIPPED,
  TALL_BULK_OVERTAKEN,
  TALL_BULK_REFUSED,
  TALL_BULK_REVIVED,
} TallBulkOutcome;

/**
 * TallBulkResult:
 *
 * What became of one order or customer of a load.
 */
typedef struct
{
  TallBulkOutcome outcome;
  gint64 revision; /* that is stored; 0 if it is not known */
  GError *error;   /* owned; NULL unless it was refused or overtaken */
} TallBulkResult;

void tall_bulk_result_clear (TallBulkResult *self);

#define TALL_TYPE_BULK (tall_bulk_get_type ())
G_DECLARE_DERIVABLE_TYPE (TallBulk, tall_bulk, TALL, BULK, GObject)

/**
 * TallBulkClass:
 *
 * A load: very many orders, mostly new ones, put faster than one by one. Each is stored whole or
 * not at all, as by a put, and beside whoever else writes. All slots must be implemented. Any
 * thread may call at any time, several at once.
 */
struct _TallBulkClass
{
  GObjectClass parent_class;

  /* Both put @n of them; @results (out, caller-allocates, zeroed): one for each, by position. FALSE
   * if nothing was done at all, nor anything could be; then the results are unset. */
  gboolean (*put_orders) (
      TallBulk *self, TallOrder *const *orders, guint n, TallBulkResult *results, GError **error);
  gboolean (*put_customers) (TallBulk *self,
                             TallCustomer *const *customers,
                             guint n,
                             TallBulkResult *results,
                             GError **error);

  gboolean (*sync) (TallBulk *self, GError **error);
  gboolean (*end) (TallBulk *self, GError **error);

  gpointer padding[4];
};

/* Orders or customers that one call takes. */
#define TALL_BULK_MOST TALL_MAX_MANY

TallBulk *tall_bulk_begin (TallFront *front,
                           const TallBulkOptions *options,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bulk_put_orders (TallBulk *self,
                               TallOrder *const *orders,
                               guint n,
                               TallBulkResult *results,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bulk_put_customers (TallBulk *self,
                                  TallCustomer *const *customers,
                                  guint n,
                                  TallBulkResult *results,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bulk_sync (TallBulk *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bulk_end (TallBulk *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

TALL_END_API
