/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical-private.h"
#include "model/pb-writer.h"

static void write_message (TallPbWriter *out, const TallModelType *type, gconstpointer base);

/* Where a message inside another one ends, for its length. */
static void
write_inner (TallPbWriter *out, guint32 number, const TallModelType *type, gconstpointer base)
{
  gsize before = tall_pb_writer_get_len (out);
  write_message (out, type, base);
  tall_pb_writer_header (out, number, tall_pb_writer_get_len (out) - before);
}

static void
write_decimal (TallPbWriter *out, guint32 number, TallDecimal decimal)
{
  gsize before = tall_pb_writer_get_len (out);
  tall_pb_writer_number (out, 2, decimal.scale);
  tall_pb_writer_signed (out, 1, decimal.unscaled);
  tall_pb_writer_header (out, number, tall_pb_writer_get_len (out) - before);
}

static void
write_attributes (TallPbWriter *out, guint32 number, const TallAttributes *attributes)
{
  for (guint i = attributes->n_items; i > 0; i--)
    {
      const TallAttribute *item = &attributes->items[i - 1];
      gsize before = tall_pb_writer_get_len (out);
      tall_pb_writer_text (out, 2, item->value);
      tall_pb_writer_text (out, 1, item->key);
      tall_pb_writer_header (out, number, tall_pb_writer_get_len (out) - before);
    }
}

static void
write_list (TallPbWriter *out, guint32 number, const TallModelField *field, gconstpointer base)
{
  const char *elements = tall_model_get_pointer (field, base);
  for (guint i = *tall_model_count (field, base); i > 0; i--)
    write_inner (out, number, field->type, elements + (i - 1) * field->type->size);
}

static void
write_texts (TallPbWriter *out, guint32 number, char *const *texts, guint n)
{
  for (guint i = n; i > 0; i--)
    tall_pb_writer_text (out, number, texts[i - 1]);
}

static void
write_field (TallPbWriter *out, guint32 number, const TallModelField *field, gconstpointer base)
{
  switch (field->kind)
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
      tall_pb_writer_text (out, number, tall_model_get_pointer (field, base));
      break;
    case TALL_MODEL_POSITION:
      tall_pb_writer_number (out, number, (guint64)*tall_model_position (field, base));
      break;
    case TALL_MODEL_DATE:
      if (*tall_model_flag (field, base))
        tall_pb_writer_signed (out, number, *tall_model_date (field, base));
      break;
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      if (*tall_model_flag (field, base))
        write_decimal (out, number, *tall_model_decimal (field, base));
      break;
    case TALL_MODEL_STRUCT:
      if (tall_model_get_pointer (field, base) != NULL)
        write_inner (out, number, field->type, tall_model_get_pointer (field, base));
      break;
    case TALL_MODEL_LIST:
      write_list (out, number, field, base);
      break;
    case TALL_MODEL_TEXTS:
      write_texts (out, number, tall_model_get_pointer (field, base),
                   *tall_model_count (field, base));
      break;
    case TALL_MODEL_ATTRIBUTES:
      write_attributes (out, number, tall_model_attributes (field, base));
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
write_message (TallPbWriter *out, const TallModelType *type, gconstpointer base)
{
  for (guint number = type->n_fields; number > 0; number--)
    write_field (out, number, &type->fields[number - 1], base);
}

static TallSlice
to_canonical (const TallModelType *type, gconstpointer base, TallArena *arena)
{
  g_auto (TallPbWriter) out;
  tall_pb_writer_init (&out);
  write_message (&out, type, base);
  return tall_pb_writer_finish (&out, arena);
}

/**
 * tall_canonical_measure:
 * @base: a normalized struct of @type
 *
 * Returns: the bytes of its canonical form
 */
gsize
tall_canonical_measure (const TallModelType *type, gconstpointer base)
{
  g_auto (TallPbWriter) out;
  tall_pb_writer_init (&out);
  write_message (&out, type, base);
  return tall_pb_writer_get_len (&out);
}

/**
 * tall_order_to_canonical:
 * @self: a normalized order
 *
 * Returns: (transfer none): its canonical form, in @arena
 */
TallSlice
tall_order_to_canonical (const TallOrder *self, TallArena *arena)
{
  return to_canonical (&tall_model_order, self, arena);
}

/**
 * tall_customer_to_canonical:
 * @self: a normalized customer
 *
 * Returns: (transfer none): its canonical form, in @arena
 */
TallSlice
tall_customer_to_canonical (const TallCustomer *self, TallArena *arena)
{
  return to_canonical (&tall_model_customer, self, arena);
}

/**
 * tall_attributes_to_canonical:
 *
 * Returns: (transfer none): the message `Attributes`, in @arena; empty for no attributes
 */
TallSlice
tall_attributes_to_canonical (const TallAttributes *self, TallArena *arena)
{
  g_auto (TallPbWriter) out;
  tall_pb_writer_init (&out);
  write_attributes (&out, 1, self);
  return tall_pb_writer_finish (&out, arena);
}

/**
 * tall_texts_to_canonical:
 * @texts: @n of them
 *
 * Returns: (transfer none): a message whose field 1 they are, such as `Phones`, in @arena; empty
 *   for no texts
 */
TallSlice
tall_texts_to_canonical (char *const *texts, guint n, TallArena *arena)
{
  g_auto (TallPbWriter) out;
  tall_pb_writer_init (&out);
  write_texts (&out, 1, texts, n);
  return tall_pb_writer_finish (&out, arena);
}

/**
 * tall_location_to_canonical:
 *
 * Returns: (transfer none): the message `ShippingLocation` without its lines, in @arena
 */
TallSlice
tall_location_to_canonical (const TallShippingLocation *self, TallArena *arena)
{
  TallShippingLocation alone = *self;
  alone.n_line_items = 0;
  return to_canonical (&tall_model_location, &alone, arena);
}

/**
 * tall_line_to_canonical:
 *
 * Returns: (transfer none): the message `LineItem`, in @arena
 */
TallSlice
tall_line_to_canonical (const TallLineItem *self, TallArena *arena)
{
  return to_canonical (&tall_model_line, self, arena);
}

/**
 * tall_order_to_summary:
 * @self: a normalized order
 *
 * Returns: (transfer none): the message `OrderSummary`, in @arena
 */
TallSlice
tall_order_to_summary (const TallOrder *self, TallArena *arena)
{
  g_auto (TallPbWriter) out;
  TallDecimal total;
  tall_pb_writer_init (&out);
  tall_pb_writer_text (&out, 5, self->currency);
  if (tall_order_compute_total (self, &total))
    write_decimal (&out, 4, total);
  tall_pb_writer_number (&out, 3, tall_order_count_lines (self));
  tall_pb_writer_text (&out, 2, self->order_number);
  tall_pb_writer_text (&out, 1, self->customer_number);
  return tall_pb_writer_finish (&out, arena);
}

/**
 * tall_customer_to_summary:
 * @self: a normalized customer
 *
 * Returns: (transfer none): the message `CustomerSummary`, in @arena
 */
TallSlice
tall_customer_to_summary (const TallCustomer *self, TallArena *arena)
{
  g_auto (TallPbWriter) out;
  tall_pb_writer_init (&out);
  tall_pb_writer_text (&out, 2, self->name);
  tall_pb_writer_text (&out, 1, self->number);
  return tall_pb_writer_finish (&out, arena);
}
