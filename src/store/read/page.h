/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-listing.h"

G_BEGIN_DECLS

/**
 * TallPageKind:
 *
 * Which listing a page token is of. Never renumbered.
 */
typedef enum
{
  TALL_PAGE_ORDERS = 1,          /* position: the index row after its customer part */
  TALL_PAGE_CUSTOMERS = 2,       /* position: a customer part; and, if that was not the last of
                                    them, how many who have it were given, one byte, and the rest
                                    of the key of the row to go on with */
  TALL_PAGE_CUSTOMER_ORDERS = 3, /* position: an order part */
} TallPageKind;

/**
 * TallPageScope:
 *
 * What a token is good for: this listing and no other. Nothing is owned.
 */
typedef struct
{
  TallPageKind kind;
  const char *deployment; /* its id */
  const char *customer;   /* number; NULL for TALL_PAGE_CUSTOMERS */
  const TallListOptions *options;
  guint64 generation; /* of the tables that positions are of */
} TallPageScope;

char *tall_page_to_token (const TallPageScope *scope, TallSlice position);
guint64 tall_page_get_generation (const char *token);
gboolean tall_page_from_token (const TallPageScope *scope,
                               const char *token,
                               GByteArray *position,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
