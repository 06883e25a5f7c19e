/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/template-private.h"

#include "model/canonical.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-limits.h"

#define MOST_TEXT 1024 /* bytes of a text in a key */
#define HEX_SIZE (2 * TALL_MD5_SIZE)
#define ABSENT 0xff /* a byte that no text has, and no date begins with */

/* A long text is cut, and its MD5 in digits stands for what was cut off: the part has no 00 but its
 * last byte. */
static void
append_text (const char *text, gsize len, GByteArray *key)
{
  gsize cut = len <= MOST_TEXT ? len : MOST_TEXT - HEX_SIZE;
  tall_bytes_append (key, tall_slice (text, cut));
  if (cut < len)
    {
      guint8 digest[TALL_MD5_SIZE];
      tall_md5 (tall_slice (text, len), digest);
      g_autofree char *hex = tall_slice_to_hex (tall_slice (digest, sizeof digest));
      tall_bytes_append (key, tall_slice_str (hex));
    }
  tall_bytes_append_u8 (key, 0);
}

static void
append_value (const TallKeyPart *self, const char *text, GByteArray *key)
{
  glong n = self->n > 0 ? g_utf8_strlen (text, -1) : 0;
  const char *end = text + strlen (text);
  if (self->form == TALL_KEY_FORM_MD5)
    {
      guint8 digest[TALL_MD5_SIZE];
      tall_md5 (tall_slice_str (text), digest);
      tall_bytes_append (key, tall_slice (digest, sizeof digest));
      return;
    }
  if (self->form == TALL_KEY_FORM_FIRST && n > (glong)self->n)
    end = g_utf8_offset_to_pointer (text, (glong)self->n);
  if (self->form == TALL_KEY_FORM_LAST && n > (glong)self->n)
    text = g_utf8_offset_to_pointer (text, n - (glong)self->n);
  append_text (text, (gsize)(end - text), key);
}

/* As unsigned numbers, 2⁶³−1 minus a date descend over all dates, also those before 1970. */
static void
append_date (const TallKeyPart *self, gint64 date, GByteArray *key)
{
  char text[TALL_DATE_TEXT_SIZE];
  char digits[8];
  if (self->form == TALL_KEY_FORM_RTIME)
    tall_bytes_append_u64 (key, (guint64)G_MAXINT64 - (guint64)date);
  else if (self->form == TALL_KEY_FORM_TIME)
    tall_bytes_append_u64 (key, (guint64)date ^ ((guint64)1 << 63));
  else
    {
      tall_date_format (date, text); /* yyyy-MM-dd… */
      memcpy (digits, text, 4);
      memcpy (digits + 4, text + 5, 2);
      memcpy (digits + 6, text + 8, 2);
      tall_bytes_append (key, tall_slice (digits, tall_key_forms[self->form].size));
    }
}

static void
append_absent (const TallKeyPart *self, GByteArray *key)
{
  gsize size = tall_key_forms[self->form].size;
  for (gsize i = 0; i < MAX (size, 1); i++)
    tall_bytes_append_u8 (key, ABSENT);
  if (size == 0)
    tall_bytes_append_u8 (key, 0);
}

/* Of what a key is made: a line has a location, and a location an order. */
typedef struct
{
  const TallOrderKey *key;
  const TallOrder *order;
  const TallShippingLocation *location; /* NULL: the template needs none */
  const TallLineItem *line;             /* the same */
} Origin;

static const char *
find_attribute (const TallOrder *order, const char *key)
{
  for (gsize i = 0; i < order->n_attributes; i++)
    if (g_str_equal (order->attributes[i]->key, key))
      return order->attributes[i]->value;
  return NULL;
}

/* The struct that has the field; NULL: there is none. */
static gconstpointer
find_base (const TallKeyPart *self, const Origin *origin)
{
  switch (self->place)
    {
    case TALL_KEY_IN_LOCATION:
      return origin->location;
    case TALL_KEY_IN_ADDRESS:
      return origin->location->address;
    case TALL_KEY_IN_LINE:
      return origin->line;
    case TALL_KEY_IN_ORDER:
    case TALL_KEY_IN_ATTRIBUTES:
    default:
      return origin->order;
    }
}

static gboolean
append_field (const TallKeyPart *self, const Origin *origin, GByteArray *key)
{
  gconstpointer base = find_base (self, origin);
  if (base == NULL)
    return FALSE;
  if (tall_key_forms[self->form].of_date)
    {
      if (*tall_model_flag (self->field, base))
        append_date (self, *tall_model_date (self->field, base), key);
      return *tall_model_flag (self->field, base);
    }
  const char *text = self->field != NULL
                         ? tall_model_get_pointer (self->field, base)
                         : find_attribute (base, self->name + strlen ("attribute."));
  if (text != NULL)
    append_value (self, text, key);
  return text != NULL;
}

/* Returns: FALSE if it is absent, so that there is no key */
static gboolean
append_part (const TallKeyPart *self, const Origin *origin, GByteArray *key)
{
  if (self->form == TALL_KEY_FORM_CUSTOMER)
    tall_bytes_append (key, origin->key->customer);
  else if (self->form == TALL_KEY_FORM_ORDER)
    tall_bytes_append (key, origin->key->order);
  else if (!append_field (self, origin, key))
    {
      if (self->optional)
        append_absent (self, key);
      return self->optional;
    }
  return TRUE;
}

static gboolean
names (const TallKeyTemplate *self, TallKeyForm form)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (tall_key_template_get_part (self, i)->form == form)
      return TRUE;
  return FALSE;
}

static void
append_key (const TallKeyTemplate *self, const Origin *origin, TallSlice before, GPtrArray *keys)
{
  g_autoptr (GByteArray) key = g_byte_array_sized_new (64);
  tall_bytes_append (key, before);
  for (guint i = 0; i < self->parts->len; i++)
    if (!append_part (tall_key_template_get_part (self, i), origin, key))
      return;
  if (!names (self, TALL_KEY_FORM_CUSTOMER))
    tall_bytes_append (key, origin->key->customer);
  if (!names (self, TALL_KEY_FORM_ORDER))
    tall_bytes_append (key, origin->key->order);
  g_ptr_array_add (keys, g_steal_pointer (&key));
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

static TallKeyPlace
find_deepest (const TallKeyTemplate *self)
{
  TallKeyPlace place = TALL_KEY_IN_ORDER;
  for (guint i = 0; i < self->parts->len; i++)
    place = MAX (place, tall_key_template_get_part (self, i)->place);
  return place;
}

/* The keys of all lines, or locations, or of the order. */
static void
append_all (const TallKeyTemplate *self, Origin *origin, TallSlice before, GPtrArray *keys)
{
  const TallOrder *order = origin->order;
  TallKeyPlace place = find_deepest (self);
  if (place < TALL_KEY_IN_LOCATION)
    append_key (self, origin, before, keys);
  for (gsize i = 0; place >= TALL_KEY_IN_LOCATION && i < order->n_shipping_locations; i++)
    {
      origin->location = order->shipping_locations[i];
      if (place < TALL_KEY_IN_LINE)
        append_key (self, origin, before, keys);
      for (gsize j = 0; place == TALL_KEY_IN_LINE && j < origin->location->n_line_items; j++)
        {
          origin->line = origin->location->line_items[j];
          append_key (self, origin, before, keys);
        }
    }
}

/**
 * tall_key_template_append_keys:
 * @before: with what each key begins
 * @keys: (element-type GByteArray): with a function that frees them; must be empty
 *
 * Appends the keys of an order, sorted, each once: one for each distinct value of the fields of its
 * lines or locations. In a template that names fields of both, a line is taken with its location.
 */
void
tall_key_template_append_keys (const TallKeyTemplate *self,
                               const TallOrderKey *key,
                               const TallOrder *order,
                               TallSlice before,
                               GPtrArray *keys)
{
  Origin origin = { .key = key, .order = order };
  append_all (self, &origin, before, keys);
  g_ptr_array_sort (keys, compare_keys);
  for (guint i = keys->len; i-- > 1;)
    if (compare_keys (&keys->pdata[i], &keys->pdata[i - 1]) == 0)
      g_ptr_array_remove_index (keys, i);
}

static gssize
measure_part (const TallKeyPart *self, const TallKeyStrategy *strategy, TallSlice rest)
{
  gsize size = tall_key_forms[self->form].size;
  if (self->form == TALL_KEY_FORM_CUSTOMER)
    return strategy->measure_customer (rest);
  if (self->form == TALL_KEY_FORM_ORDER)
    return strategy->measure_order (rest);
  if (size > 0)
    return rest.len >= size ? (gssize)size : -1;
  gsize room = MIN (rest.len, MOST_TEXT + 1);
  const guint8 *end = room == 0 ? NULL : memchr (rest.data, '\0', room);
  return end == NULL ? -1 : end - rest.data + 1;
}

static gboolean
take (gssize len, TallSlice *rest, TallSlice *part)
{
  if (len < 0 || (gsize)len > rest->len)
    return FALSE;
  *part = tall_slice (rest->data, (gsize)len);
  *rest = tall_slice (rest->data + len, rest->len - (gsize)len);
  return TRUE;
}

/**
 * tall_key_template_split:
 * @key: any bytes
 * @customer: (out): the customer part in it
 * @order: (out): the order part
 *
 * Returns: FALSE if it is not a key of the template
 */
gboolean
tall_key_template_split (const TallKeyTemplate *self,
                         const TallKeyStrategy *strategy,
                         TallSlice key,
                         TallSlice *customer,
                         TallSlice *order)
{
  TallSlice rest = key, part;
  gboolean has_customer = FALSE, has_order = FALSE;
  for (guint i = 0; i < self->parts->len; i++)
    {
      TallKeyForm form = tall_key_template_get_part (self, i)->form;
      if (!take (measure_part (tall_key_template_get_part (self, i), strategy, rest), &rest, &part))
        return FALSE;
      if (form == TALL_KEY_FORM_CUSTOMER)
        *customer = part;
      if (form == TALL_KEY_FORM_ORDER)
        *order = part;
      has_customer |= form == TALL_KEY_FORM_CUSTOMER;
      has_order |= form == TALL_KEY_FORM_ORDER;
    }
  return (has_customer || take (strategy->measure_customer (rest), &rest, customer))
         && (has_order || take (strategy->measure_order (rest), &rest, order)) && rest.len == 0;
}

/* ---- Looking for keys ---- */

/* A value of a date, which may be as short as the part: a year, or a year and a month. */
static gboolean
parse_date (const TallKeyPart *self, const char *value, gint64 *date, GError **error)
{
  static const char *const rest[] = { [4] = "-01-01", [7] = "-01" };
  gsize len = strlen (value);
  g_autofree char *whole =
      g_strconcat (value, len < G_N_ELEMENTS (rest) && rest[len] != NULL ? rest[len] : "", NULL);
  if (tall_date_parse (whole, date, NULL))
    return TRUE;
  tall_error_set_invalid (error, "values", "“%s” is not a date, which %s needs", value, self->text);
  return FALSE;
}

static gboolean
append_wanted (const TallKeyPart *self,
               const TallKeyStrategy *strategy,
               const TallKeyQuery *query,
               const char *value,
               GByteArray *key,
               GError **error)
{
  gint64 date;
  if (self->form == TALL_KEY_FORM_CUSTOMER)
    tall_bytes_append (key, query->customer);
  else if (self->form == TALL_KEY_FORM_ORDER)
    strategy->append_order (value, key);
  else if (!tall_key_forms[self->form].of_date)
    append_value (self, value, key);
  else if (parse_date (self, value, &date, error))
    append_date (self, date, key);
  else
    return FALSE;
  return TRUE;
}

/**
 * tall_key_template_check:
 * @customer_number: (out) (transfer none): that of the customer whose key part the query needs;
 *   NULL: it needs none
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if the template has no keys that can be looked for so
 */
gboolean
tall_key_template_check (const TallKeyTemplate *self,
                         const TallKeyQuery *query,
                         const char **customer_number,
                         GError **error)
{
  gboolean has_range = query->from != NULL || query->to != NULL;
  *customer_number = NULL;
  if (query->n_values + (has_range ? 1 : 0) > self->parts->len)
    {
      tall_error_set_invalid (error, "values",
                              "the index has %u parts (%s), and there are %u values%s",
                              self->parts->len, self->text, query->n_values,
                              has_range ? " and a range" : "");
      return FALSE;
    }
  for (guint i = 0; i < query->n_values; i++)
    {
      const TallKeyPart *part = tall_key_template_get_part (self, i);
      if (tall_key_forms[part->form].is_key_part
          && !tall_validate_number (query->values[i], "values", error))
        return FALSE;
      if (part->form == TALL_KEY_FORM_CUSTOMER)
        *customer_number = query->values[i];
    }
  const TallKeyPart *next = has_range ? tall_key_template_get_part (self, query->n_values) : NULL;
  if (next == NULL || (!tall_key_forms[next->form].is_key_part && next->form != TALL_KEY_FORM_MD5))
    return TRUE;
  tall_error_set_invalid (error, "values",
                          "%s keeps no order, so that it has no range: give its "
                          "value, or choose another index",
                          next->text);
  return FALSE;
}

/* Appends what begins the range of a date, or ends it. Newest first: the range begins where it
 * would end, and the other way round. A day, month or year is wanted as a whole. */
static gboolean
append_bound (
    const TallKeyPart *self, const char *value, gboolean is_end, GByteArray *key, GError **error)
{
  gint64 date;
  if (!tall_key_forms[self->form].of_date)
    {
      append_value (self, value, key);
      return TRUE;
    }
  if (!parse_date (self, value, &date, error))
    return FALSE;
  if (self->form == TALL_KEY_FORM_TIME)
    append_date (self, date, key);
  else if (self->form == TALL_KEY_FORM_RTIME)
    append_date (self, date - 1, key);
  else
    {
      append_date (self, is_end ? MAX (date, TALL_MIN_DATE + 1) - 1 : date, key);
      if (is_end)
        tall_bytes_append_u8 (key, ABSENT);
    }
  return TRUE;
}

/**
 * tall_key_template_append_range:
 * @query: checked by tall_key_template_check()
 * @start: what the keys begin with; then the first one that may be wanted
 * @stop: empty; then the first one not wanted; still empty: to the end of the table
 *
 * What has no value in the part of a range is in no range.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if a value is not one of its part
 */
gboolean
tall_key_template_append_range (const TallKeyTemplate *self,
                                const TallKeyStrategy *strategy,
                                const TallKeyQuery *query,
                                GByteArray *start,
                                GByteArray *stop,
                                GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < query->n_values; i++)
    if (!append_wanted (tall_key_template_get_part (self, i), strategy, query, query->values[i],
                        start, error))
      return FALSE;
  if (query->from == NULL && query->to == NULL)
    {
      tall_bytes_append (stop, tall_slice_after_prefix (arena, tall_slice_array (start)));
      return TRUE;
    }
  const TallKeyPart *next = tall_key_template_get_part (self, query->n_values);
  gboolean descends = next->form == TALL_KEY_FORM_RTIME;
  const char *first = descends ? query->to : query->from;
  const char *last = descends ? query->from : query->to;
  tall_bytes_set (stop, tall_slice_array (start));
  if (first != NULL && !append_bound (next, first, FALSE, start, error))
    return FALSE;
  if (last == NULL)
    append_absent (next, stop);
  return last == NULL || append_bound (next, last, TRUE, stop, error);
}

/**
 * tall_key_template_append_splits:
 *
 * Appends where @n_regions regions of its keys begin, without the first, as far as the alphabet of
 * the first part tells it.
 */
void
tall_key_template_append_splits (const TallKeyTemplate *self,
                                 const TallKeyStrategy *strategy,
                                 guint n_regions,
                                 const char *const *sample,
                                 GPtrArray *splits)
{
  const TallKeyPart *first = tall_key_template_get_part (self, 0);
  if (first->form == TALL_KEY_FORM_MD5)
    tall_key_splits_append_bytes (n_regions, splits);
  else if (first->form == TALL_KEY_FORM_CUSTOMER && n_regions > 1)
    (void)strategy->append_splits (n_regions, sample, splits, NULL);
}
