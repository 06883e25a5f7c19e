/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
/* libcrypto would rather have us fetch a digest, begin it, and end it, for its providers: with the
 * short texts of keys that takes longer than the digest. MD5 places rows and recognises content. It
 * protects nothing, so no FIPS mode need forbid it, and none forbids this call. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "model/canonical.h"

#include "base/fail.h"
#include "model/check.h"
#include "tall-limits.h"

#include <openssl/md5.h>

/**
 * tall_md5:
 * @digest: (out caller-allocates): 16 bytes
 *
 * MD5 (RFC 1321). Threads: any.
 */
void
tall_md5 (TallSlice bytes, guint8 digest[TALL_MD5_SIZE])
{
  if (MD5 (bytes.data, bytes.len, digest) == NULL)
    g_error ("libcrypto failed to compute an MD5");
}

gboolean
tall_md5_is (TallSlice bytes, const guint8 digest[TALL_MD5_SIZE])
{
  guint8 found[TALL_MD5_SIZE];
  tall_md5 (bytes, found);
  return memcmp (found, digest, TALL_MD5_SIZE) == 0;
}

/* What a message may take in memory: bytes for each byte of it. The library looks at all fields
 * before it reads them, for which it takes up to 64 bytes for a field of two bytes. */
#define MOST_BYTES_OF_BYTE 64

#define MAX_FIELD ((1u << 29) - 1) /* number of one */

/* Pieces from this size on go back to the system when the library gives them back. Few of them fit
 * into the largest message, so that they are soon found. */
#define APART (64 * 1024)

/**
 * Unpacker:
 *
 * Where protobuf-c puts what it reads.
 */
typedef struct
{
  ProtobufCAllocator allocator;
  TallArena *arena;
  gsize left;        /* bytes that it may still take */
  gboolean is_owner; /* the next piece is an order or customer */
} Unpacker;

static gpointer
take (gpointer data, gsize size)
{
  Unpacker *self = data;
  if (size > self->left)
    return NULL;

  self->left -= size;
  if (self->is_owner)
    {
      self->is_owner = FALSE;
      return tall_model_alloc_owner (self->arena, size);
    }
  return size < APART ? tall_arena_alloc (self->arena, size)
                      : tall_arena_alloc_apart (self->arena, size);
}

static void
give_back (gpointer data, gpointer piece)
{
  Unpacker *self = data;
  tall_arena_free_apart (self->arena, piece);
}

static TallSlice
pack (const ProtobufCMessage *message, TallArena *arena)
{
  gsize len = protobuf_c_message_get_packed_size (message);
  guint8 *bytes = tall_arena_alloc (arena, len);
  protobuf_c_message_pack (message, bytes);
  return tall_slice (bytes, len);
}

static gboolean
packs_to (const ProtobufCMessage *message, TallSlice bytes)
{
  if (protobuf_c_message_get_packed_size (message) != bytes.len)
    return FALSE;

  g_autofree guint8 *again = g_malloc (bytes.len);
  protobuf_c_message_pack (message, again);
  return bytes.len == 0 || memcmp (again, bytes.data, bytes.len) == 0;
}

/* Drops what a newer schema has added.
 * Returns: FALSE if such fields have no greater numbers than ours, or do not ascend; or if they
 * have greater ones than protobuf allows, which the library does not look at */
static gboolean
drop_unknown (ProtobufCMessage *self)
{
  guint32 last_known = self->descriptor->fields[self->descriptor->n_fields - 1].id;
  guint32 before = last_known + 1;
  for (guint i = 0; i < self->n_unknown_fields; i++)
    {
      guint32 number = self->unknown_fields[i].tag;
      if (number < before || number > MAX_FIELD)
        return FALSE;
      before = number;
    }
  self->n_unknown_fields = 0;
  return TRUE;
}

/* By their first fields. */
static gboolean
is_before (const ProtobufCMessage *a, const ProtobufCMessage *b)
{
  const TallModelField *first = &a->descriptor->fields[0];
  if (first->type == PROTOBUF_C_TYPE_STRING)
    return strcmp (tall_model_get_pointer (first, a), tall_model_get_pointer (first, b)) < 0;
  return *tall_model_position (first, a) < *tall_model_position (first, b);
}

static gboolean settle (ProtobufCMessage *self);

static gboolean
settle_field (const TallModelField *field, gpointer base)
{
  gpointer value = tall_model_get_pointer (field, base);
  if (field->label != PROTOBUF_C_LABEL_REPEATED)
    return value == NULL || settle (value);

  ProtobufCMessage *const *elements = value;
  gsize n = *tall_model_count (field, base);
  gboolean sorted = tall_model_kind (field) != TALL_MODEL_STRUCTS;
  for (gsize i = 0; i < n; i++)
    if (!settle (elements[i]) || (sorted && i > 0 && !is_before (elements[i - 1], elements[i])))
      return FALSE;
  return TRUE;
}

/* Drops unknown fields at all levels.
 * Returns: FALSE if it is not canonical in what packing cannot show */
static gboolean
settle (ProtobufCMessage *self)
{
  if (self->n_unknown_fields > 0 && !drop_unknown (self))
    return FALSE;

  const TallModelType *type = self->descriptor;
  if (type == &tall_model_decimal && ((TallDecimal *)self)->scale > TALL_DECIMAL_MAX_SCALE)
    return FALSE;
  if (type->fields[0].type == PROTOBUF_C_TYPE_INT32
      && *tall_model_position (type->fields, self) < 1)
    return FALSE;
  for (guint i = 0; i < type->n_fields; i++)
    if (type->fields[i].type == PROTOBUF_C_TYPE_MESSAGE && !settle_field (&type->fields[i], self))
      return FALSE;
  return TRUE;
}

/* What is known of bytes, and what they are. */
typedef enum
{
  UNPROVED = 0,
  PROVED = 1 << 0, /* we have written them */
  OWNER = 1 << 1,  /* an order or customer */
} ReadFlags;

static gboolean
set_damaged (GError **error, const char *what, const char *why)
{
  return tall_error_fail (error, TALL_ERROR_DAMAGED, "stored %s: %s", what, why);
}

/* What a digest proves may still be forged, as may the digest: its length shows fields that are
 * cut, repeated, or longer than need be. */
static gboolean
has_form (const ProtobufCMessage *message, ReadFlags flags, TallSlice bytes)
{
  return flags & PROVED ? protobuf_c_message_get_packed_size (message) == bytes.len
                        : packs_to (message, bytes);
}

/* Returns: (nullable): the message in @arena; NULL with %TALL_ERROR_DAMAGED if pack() does not
 *   write it so, fields of a newer schema aside */
static gpointer
read_message (
    const TallModelType *type, ReadFlags flags, TallSlice bytes, TallArena *arena, GError **error)
{
  Unpacker unpacker = {
    { take, give_back, &unpacker }, arena, 4096 + bytes.len * MOST_BYTES_OF_BYTE, flags & OWNER
  };
  ProtobufCMessage *message = NULL;
  if (bytes.len <= TALL_MAX_CANONICAL_BYTES)
    message = protobuf_c_message_unpack (type, &unpacker.allocator, bytes.len, bytes.data);
  if (message != NULL && has_form (message, flags, bytes) && settle (message))
    return message;

  g_autofree char *what = tall_model_describe (type);
  set_damaged (error, what, "not in canonical form");
  return NULL;
}

/* @each: bytes of memory for each byte, as they usually take
 * Returns: (transfer full) (nullable): an order or customer, as read_message() reads it */
static gpointer
read_owner (const TallModelType *type, ReadFlags flags, gsize each, TallSlice bytes, GError **error)
{
  gsize size = bytes.len <= TALL_MAX_CANONICAL_BYTES ? each * bytes.len : 0;
  TallArena *arena = tall_arena_new (1024 + size);
  gpointer owner = read_message (type, flags | OWNER, bytes, arena, error);
  if (owner == NULL)
    tall_arena_free (arena);
  return owner;
}

/* Stored data that the model refuses is damaged. */
static gboolean
finish (gboolean valid, GError *invalid, const char *what, GError **error)
{
  if (!valid)
    set_damaged (error, what, invalid->message);
  g_clear_error (&invalid);
  return valid;
}

/**
 * tall_order_get_schema:
 *
 * Returns: the smallest schema number that has all fields of the order
 */
guint
tall_order_get_schema (const TallOrder *self)
{
  return self->n_adjustments > 0 || self->billing_address != NULL ? 2 : TALL_FIRST_SCHEMA;
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
  return pack (&self->base, arena);
}

static TallOrder *
read_order (TallSlice canonical, ReadFlags flags, GError **error)
{
  return read_owner (&tall_model_order, flags, 8, canonical, error);
}

/**
 * tall_order_from_proved:
 * @canonical: the canonical form of a normalized order, as its digest has shown; it is copied
 *
 * As tall_order_from_canonical(), but of its form only the length is checked once more, and of what
 * the fields hold only scales, and numbers of locations and lines.
 *
 * Returns: (transfer full) (nullable): the order; NULL with %TALL_ERROR_DAMAGED
 */
TallOrder *
tall_order_from_proved (TallSlice canonical, GError **error)
{
  return read_order (canonical, PROVED, error);
}

/**
 * tall_order_from_canonical:
 * @canonical: bytes from anywhere; they are copied
 *
 * Returns: (transfer full) (nullable): the order, normalized; NULL with %TALL_ERROR_DAMAGED if
 *   @canonical is not exactly what tall_order_to_canonical() writes. Fields that a newer schema
 *   added are skipped.
 */
TallOrder *
tall_order_from_canonical (TallSlice canonical, GError **error)
{
  g_autoptr (TallOrder) order = read_order (canonical, UNPROVED, error);
  if (order == NULL)
    return NULL;

  GError *invalid = NULL;
  gboolean valid = tall_order_normalize (order, &invalid);
  if (!finish (valid, invalid, "order", error))
    return NULL;
  return g_steal_pointer (&order);
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
  return pack (&self->base, arena);
}

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
  g_autoptr (TallCustomer) customer =
      read_owner (&tall_model_customer, UNPROVED, 2, canonical, error);
  if (customer == NULL)
    return NULL;

  GError *invalid = NULL;
  gboolean valid = tall_customer_normalize (customer, &invalid);
  if (!finish (valid, invalid, "customer", error))
    return NULL;
  return g_steal_pointer (&customer);
}

/* Messages of one list. */
typedef TallPb__Phones List;
G_STATIC_ASSERT (sizeof (List) == sizeof (TallPb__Attributes));
G_STATIC_ASSERT (offsetof (List, phones) == offsetof (TallPb__Attributes, attributes));
G_STATIC_ASSERT (offsetof (List, n_phones) == offsetof (TallPb__Attributes, n_attributes));
G_STATIC_ASSERT (sizeof (List) == sizeof (TallPb__Adjustments));
G_STATIC_ASSERT (offsetof (List, phones) == offsetof (TallPb__Adjustments, adjustments));
G_STATIC_ASSERT (offsetof (List, n_phones) == offsetof (TallPb__Adjustments, n_adjustments));

static const TallModelType *
list_type (const TallModelField *field)
{
  if (field->type == PROTOBUF_C_TYPE_STRING)
    return &tall_pb__phones__descriptor;
  return field->descriptor == &tall_model_attribute ? &tall_pb__attributes__descriptor
                                                    : &tall_pb__adjustments__descriptor;
}

/**
 * tall_list_to_canonical:
 * @field: of texts, attributes or structs
 *
 * Returns: (transfer none): a message whose field 1 they are, such as `Phones`, in @arena; empty
 * for none
 */
TallSlice
tall_list_to_canonical (const TallModelField *field, gconstpointer base, TallArena *arena)
{
  List list;
  protobuf_c_message_init (list_type (field), &list);
  list.n_phones = *tall_model_count (field, base);
  list.phones = tall_model_get_pointer (field, base);
  return pack (&list.base, arena);
}

/**
 * tall_list_from_canonical:
 * @canonical: what tall_list_to_canonical() writes, from anywhere; it is copied into @arena
 * @base: the struct to set the field of
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_list_from_canonical (const TallModelField *field,
                          TallSlice canonical,
                          TallArena *arena,
                          gpointer base,
                          GError **error)
{
  const List *list = read_message (list_type (field), UNPROVED, canonical, arena, error);
  if (list == NULL)
    return FALSE;

  *tall_model_count (field, base) = list->n_phones;
  tall_model_set_pointer (field, base, list->phones);
  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_field (&check, field, base);
  return finish (valid, invalid, field->name, error);
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
  return pack (&alone.base, arena);
}

/**
 * tall_location_from_canonical:
 * @canonical: the message `ShippingLocation` from anywhere; it is copied
 *
 * Reads what tall_location_to_canonical() writes. What its fields hold is checked by
 * tall_order_normalize(), of the order that they go into.
 *
 * Returns: (transfer none) (nullable): the location in @arena; NULL with %TALL_ERROR_DAMAGED
 */
TallShippingLocation *
tall_location_from_canonical (TallSlice canonical, TallArena *arena, GError **error)
{
  TallShippingLocation *location =
      read_message (&tall_model_location, UNPROVED, canonical, arena, error);
  if (location == NULL || location->n_line_items == 0)
    return location;
  set_damaged (error, "location", "has lines in it");
  return NULL;
}

/**
 * tall_line_to_canonical:
 *
 * Returns: (transfer none): the message `LineItem`, in @arena
 */
TallSlice
tall_line_to_canonical (const TallLineItem *self, TallArena *arena)
{
  return pack (&self->base, arena);
}

/**
 * tall_line_from_canonical:
 *
 * As tall_location_from_canonical(), for the message `LineItem`.
 */
TallLineItem *
tall_line_from_canonical (TallSlice canonical, TallArena *arena, GError **error)
{
  return read_message (&tall_model_line, UNPROVED, canonical, arena, error);
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
  TallDecimal total = TALL_PB__DECIMAL__INIT;
  TallOrderSummary summary = TALL_PB__ORDER_SUMMARY__INIT;
  summary.customer_number = self->customer_number;
  summary.order_number = self->order_number;
  summary.lines = tall_order_count_lines (self);
  summary.total = tall_order_compute_total (self, &total) ? &total : NULL;
  summary.currency = self->currency;
  return pack (&summary.base, arena);
}

/**
 * tall_order_summary_parse:
 * @bytes: the message `OrderSummary`; it is copied into @arena
 * @summary: (out): what it points to belongs to @arena
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED
 */
gboolean
tall_order_summary_parse (TallSlice bytes,
                          TallArena *arena,
                          TallOrderSummary *summary,
                          GError **error)
{
  const TallOrderSummary *read =
      read_message (&tall_pb__order_summary__descriptor, UNPROVED, bytes, arena, error);
  if (read == NULL)
    return FALSE;
  if (read->lines > TALL_MAX_LINES_AND_LOCATIONS)
    return set_damaged (error, "order summary", "not in canonical form");

  *summary = *read;
  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "customer_number", summary->customer_number)
                   && tall_check_number (&check, "order_number", summary->order_number)
                   && tall_check_text (&check, "currency", summary->currency);
  return finish (valid, invalid, "order summary", error);
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
  TallCustomerSummary summary = TALL_PB__CUSTOMER_SUMMARY__INIT;
  summary.number = self->number;
  summary.name = self->name;
  return pack (&summary.base, arena);
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
  const TallCustomerSummary *read =
      read_message (&tall_pb__customer_summary__descriptor, UNPROVED, bytes, arena, error);
  if (read == NULL)
    return FALSE;

  *summary = *read;
  GError *invalid = NULL;
  TallCheck check = TALL_CHECK_INIT (&invalid);
  gboolean valid = tall_check_number (&check, "number", summary->number)
                   && tall_check_text (&check, "name", summary->name);
  return finish (valid, invalid, "customer summary", error);
}

/**
 * tall_model_equal:
 * @a: (nullable): normalized
 * @b: (nullable): another of its type
 *
 * Returns: TRUE if both are absent, or have the same canonical form; absent and empty are
 *   different, and so are 1.5 and 1.50
 */
gboolean
tall_model_equal (const ProtobufCMessage *a, const ProtobufCMessage *b)
{
  if (a == NULL || b == NULL)
    return a == b;

  gsize len = protobuf_c_message_get_packed_size (a);
  g_autofree guint8 *bytes = g_malloc (len);
  protobuf_c_message_pack (a, bytes);
  return packs_to (b, tall_slice (bytes, len));
}
