/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-customer.h"
#include "tall-order.h"

/**
 * TallJsonItem:
 *
 * One order or customer of a JSON file.
 */
typedef struct
{
  TallOrder *order;       /* owned; NULL if it is a customer, or bad */
  TallCustomer *customer; /* owned; NULL if it is an order, or bad */
  gint64 revision;        /* that it says it had; 0: it does not say so */
  GError *error;          /* owned; why it is bad, with file and line; NULL: it is not */
  guint64 line;           /* of the file, where it begins */
} TallJsonItem;

void tall_json_item_clear (TallJsonItem *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallJsonItem, tall_json_item_clear)

typedef enum
{
  TALL_JSON_ORDERS,    /* what is not wrapped is an order */
  TALL_JSON_CUSTOMERS, /* … a customer */
} TallJsonKind;

typedef enum
{
  TALL_JSON_ITEM,
  TALL_JSON_END,
  TALL_JSON_FAILED,
  TALL_JSON_STOPPED, /* as asked */
} TallJsonStep;

/**
 * TallJsonFile:
 *
 * Reads orders and customers from a file: either one JSON object over any number of lines, or one
 * in each line. Each is an order or a customer, plain or as `{"order": …}` or `{"customer": …}`.
 * A bad line does not keep the next from being read, not even if it is the first and looks like the
 * beginning of an object over many. Not thread-safe.
 */
typedef struct _TallJsonFile TallJsonFile;

TallJsonFile *
tall_json_file_open (const char *path, TallJsonKind kind, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_json_file_free (TallJsonFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallJsonFile, tall_json_file_free)

void tall_json_file_set_stop (TallJsonFile *self, const gint *stop);
const char *tall_json_file_get_name (const TallJsonFile *self);
gboolean tall_json_file_has_rest (const TallJsonFile *self);
guint64 tall_json_file_get_line (const TallJsonFile *self);
gboolean tall_json_file_is_ready (TallJsonFile *self);
TallJsonStep tall_json_file_next (TallJsonFile *self,
                                  TallJsonItem *item,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
