/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical-private.h"
#include "model/check.h"
#include "tall-limits.h"
#include "model/order.h"

/**
 * tall_customer_from_canonical:
 * @canonical: bytes from anywhere; they are copied
 *
 * Returns: (transfer full) (nullable): the customer, normalized; NULL with %TALL_ERROR_DAMAGED, as
 *   tall_order_from_canonical()
 */
TallCustomer *
tall_customer_from_canonical (TallSlice canonical, GError **error)
{
  gsize size = MIN (canonical.len, TALL_MAX_CANONICAL_BYTES);
  g_autoptr (TallCustomer) customer = tall_customer_new_in (tall_arena_new (1024 + 2 * size));
  if (canonical.len > size
      || !tall_pb_read_message (&tall_model_customer, canonical, customer->arena, customer))
    {
      tall_canonical_fail (error, "customer", "not in canonical form");
      return NULL;
    }

  GError *invalid = NULL;
  gboolean valid = tall_customer_normalize (customer, &invalid);
  if (!tall_canonical_finish (valid, invalid, "customer", error))
    return NULL;
  return g_steal_pointer (&customer);
}

/**
 * tall_attributes_from_canonical:
 * @canonical: the message `Attributes`; it is copied into @arena
 * @attributes: (out): its memory belongs to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_attributes_from_canonical (TallSlice canonical,
                                TallArena *arena,
                                TallAttributes *attributes,
                                GError **error)
{
  TallPbReader in = tall_pb_reader (canonical);
  *attributes = (TallAttributes){ NULL, 0 };
  while (tall_pb_reader_next (&in, TALL_PB_LIST (1), 1))
    if (in.field == 1 && !tall_pb_read_attribute (in, arena, attributes))
      tall_pb_reader_fail (&in);
    else
      tall_pb_reader_skip (&in);
  if (in.failed)
    return tall_canonical_fail (error, "attributes", "not in canonical form");

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_attributes (&check, attributes);
  return tall_canonical_finish (valid, invalid, "attributes", error);
}

static gboolean
check_texts (TallCheck *check, char *const *texts, guint n)
{
  for (check->index = 0; check->index < n; check->index++)
    if (!tall_check_text (check, NULL, texts[check->index]))
      return FALSE;
  return TRUE;
}

/**
 * tall_texts_from_canonical:
 * @canonical: a message whose field 1 are texts; it is copied into @arena
 * @texts: (out): @n of them, in @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_texts_from_canonical (
    TallSlice canonical, TallArena *arena, char ***texts, guint *n, GError **error)
{
  TallPbReader in = tall_pb_reader (canonical);
  *texts = NULL;
  *n = 0;
  while (tall_pb_reader_next (&in, TALL_PB_LIST (1), 1))
    if (in.field == 1)
      tall_pb_read_text (&in, arena, texts, n);
    else
      tall_pb_reader_skip (&in);
  if (in.failed)
    return tall_canonical_fail (error, "texts", "not in canonical form");

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = check_texts (&check, *texts, *n);
  return tall_canonical_finish (valid, invalid, "texts", error);
}

static gboolean
read_order_summary (TallSlice bytes, TallArena *arena, TallOrderSummary *summary)
{
  TallPbReader in = tall_pb_reader (bytes);
  guint64 n_lines = G_MAXUINT64;
  *summary = (TallOrderSummary){ NULL };
  while (tall_pb_reader_next (&in, 0, 5))
    switch (in.field)
      {
      case 1:
        summary->customer_number = tall_pb_reader_text (&in, arena);
        break;
      case 2:
        summary->order_number = tall_pb_reader_text (&in, arena);
        break;
      case 3:
        n_lines = tall_pb_reader_number (&in);
        break;
      case 4:
        summary->has_total = TRUE;
        if (!tall_pb_read_decimal (tall_pb_reader_bytes (&in), &summary->total))
          tall_pb_reader_fail (&in);
        break;
      case 5:
        summary->currency = tall_pb_reader_text (&in, arena);
        break;
      default:
        tall_pb_reader_skip (&in);
      }
  summary->n_lines = (guint)MIN (n_lines, G_MAXUINT32);
  return !in.failed && n_lines <= TALL_MAX_LINES_AND_LOCATIONS;
}

/**
 * tall_order_summary_parse:
 * @bytes: the message `OrderSummary`; it is copied into @arena
 * @summary: (out): its texts belong to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_order_summary_parse (TallSlice bytes,
                          TallArena *arena,
                          TallOrderSummary *summary,
                          GError **error)
{
  if (!read_order_summary (bytes, arena, summary))
    return tall_canonical_fail (error, "order summary", "not in canonical form");

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "customer_number", summary->customer_number)
                   && tall_check_number (&check, "order_number", summary->order_number)
                   && tall_check_text (&check, "currency", summary->currency);
  return tall_canonical_finish (valid, invalid, "order summary", error);
}

/**
 * tall_customer_summary_parse:
 * @bytes: the message `CustomerSummary`; it is copied into @arena
 * @summary: (out): its texts belong to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_customer_summary_parse (TallSlice bytes,
                             TallArena *arena,
                             TallCustomerSummary *summary,
                             GError **error)
{
  TallPbReader in = tall_pb_reader (bytes);
  *summary = (TallCustomerSummary){ NULL };
  while (tall_pb_reader_next (&in, 0, 2))
    if (in.field == 1)
      summary->number = tall_pb_reader_text (&in, arena);
    else if (in.field == 2)
      summary->name = tall_pb_reader_text (&in, arena);
    else
      tall_pb_reader_skip (&in);
  if (in.failed)
    return tall_canonical_fail (error, "customer summary", "not in canonical form");

  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "number", summary->number)
                   && tall_check_text (&check, "name", summary->name);
  return tall_canonical_finish (valid, invalid, "customer summary", error);
}
