/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#include "base/slots.h"
#include "model/canonical.h"
#include "base/fail.h"
#include "tall-limits.h"
#include "tall-order.h"

void
tall_key_md5_append_order (const char *number, GByteArray *key)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (number), digest);
  g_byte_array_append (key, digest, sizeof digest);
}

gssize
tall_key_md5_measure (TallSlice key)
{
  return key.len >= TALL_MD5_SIZE ? TALL_MD5_SIZE : -1;
}

void
tall_key_text_append_order (const char *number, GByteArray *key)
{
  /* with the NUL: no number contains one, so it ends the part and sorts below all that follows */
  g_byte_array_append (key, (const guint8 *)number, strlen (number) + 1);
}

gssize
tall_key_text_measure (TallSlice key)
{
  gsize room = MIN (key.len, TALL_MAX_NUMBER_BYTES + 1);
  const guint8 *end = room == 0 ? NULL : memchr (key.data, '\0', room);
  if (end == NULL || !tall_validate_number ((const char *)key.data, "number", NULL))
    return -1;
  return end - key.data + 1;
}

static void
cut (TallOrderKey *self, gsize customer_len)
{
  self->whole = tall_slice_array (self->bytes);
  self->customer = tall_slice (self->whole.data, customer_len);
  self->order = tall_slice (self->whole.data + customer_len, self->whole.len - customer_len);
}

/**
 * tall_order_key_init:
 * @customer_id: the substituted id if the strategy needs one, else 0
 * @order_number: (nullable): NULL makes the key of a customer
 */
void
tall_order_key_init (TallOrderKey *self,
                     const TallKeyStrategy *strategy,
                     const char *customer_number,
                     guint64 customer_id,
                     const char *order_number)
{
  self->bytes = g_byte_array_sized_new (64);
  strategy->append_customer (customer_number, customer_id, self->bytes);
  gsize customer_len = self->bytes->len;
  if (order_number != NULL)
    strategy->append_order (order_number, self->bytes);
  cut (self, customer_len);
}

/**
 * tall_order_key_init_from_parts:
 * @customer: a customer part, as it was stored
 * @order: an order part, or the empty slice for the key of a customer
 */
void
tall_order_key_init_from_parts (TallOrderKey *self, TallSlice customer, TallSlice order)
{
  self->bytes = g_byte_array_sized_new ((guint)(customer.len + order.len));
  tall_bytes_append (self->bytes, customer);
  tall_bytes_append (self->bytes, order);
  cut (self, customer.len);
}

/**
 * tall_order_key_set_order:
 * @order: not of @self
 *
 * Makes @self the key of another order of the same customer.
 */
void
tall_order_key_set_order (TallOrderKey *self, TallSlice order)
{
  gsize customer_len = self->customer.len;
  g_byte_array_set_size (self->bytes, (guint)customer_len);
  tall_bytes_append (self->bytes, order);
  cut (self, customer_len);
}

void
tall_order_key_clear (TallOrderKey *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
}

/**
 * tall_key_strategy_make_splits:
 * @n_regions: 1 … %TALL_MAX_REGIONS
 * @sample: (nullable) (array zero-terminated=1): customer numbers, one for each sampled order, so
 *   customers with more orders weigh more. Draw the orders at random: every tenth of sequential
 *   numbers ends in the same digit, which misleads where keys are reversed
 *
 * The row keys at which each table of a deployment is split, whatever its layout: row keys of all
 * layouts begin with the customer part.
 *
 * Returns: (transfer container) (element-type GByteArray): @n_regions - 1 row keys, ascending; NULL
 *   with %TALL_ERROR_INVALID if there cannot be so many regions
 */
GPtrArray *
tall_key_strategy_make_splits (const TallKeyStrategy *self,
                               guint n_regions,
                               const char *const *sample,
                               GError **error)
{
  if (n_regions < 1 || n_regions > TALL_MAX_REGIONS)
    {
      tall_error_set_invalid (error, "regions", "%u regions: choose 1 to %d", n_regions,
                              TALL_MAX_REGIONS);
      return NULL;
    }

  g_autoptr (GPtrArray) splits =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  if (n_regions > 1 && !self->append_splits (n_regions, sample, splits, error))
    return NULL;
  return g_steal_pointer (&splits);
}

/* Drops trailing bytes that are the least of the alphabet. The shorter split divides the keys
 * alike: it lies below all keys that begin with it. */
static void
add_trimmed (GPtrArray *splits, GByteArray *split, guint8 least)
{
  while (split->len > 1 && split->data[split->len - 1] == least)
    g_byte_array_set_size (split, split->len - 1);
  g_ptr_array_add (splits, split);
}

/**
 * tall_key_splits_append_bytes:
 *
 * The slot of keys whose first bytes are evenly spread over 00 … ff: 4 bytes at most.
 */
gboolean
tall_key_splits_append_bytes (guint n_regions,
                              const char *const *sample G_GNUC_UNUSED,
                              GPtrArray *splits,
                              GError **error G_GNUC_UNUSED)
{
  for (guint i = 1; i < n_regions; i++)
    {
      GByteArray *split = g_byte_array_new ();
      tall_bytes_append_u32 (split, (guint32)(((guint64)i << 32) / n_regions));
      add_trimmed (splits, split, 0);
    }
  return TRUE;
}

/**
 * tall_key_splits_append_digits:
 *
 * For keys whose first bytes are digits, evenly spread over 0 … 9: 8 digits at most. A customer
 * part has its 00 among or after these digits, so a split never begins with one.
 */
void
tall_key_splits_append_digits (guint n_regions, GPtrArray *splits)
{
  for (guint i = 1; i < n_regions; i++)
    {
      char digits[16];
      GByteArray *split = g_byte_array_new ();
      guint64 fraction = G_GUINT64_CONSTANT (100000000) * i / n_regions;
      int len = g_snprintf (digits, sizeof digits, "%08" G_GUINT64_FORMAT, fraction);
      g_byte_array_append (split, (const guint8 *)digits, len);
      add_trimmed (splits, split, '0');
    }
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

/* The customer parts of the sample, sorted; NULL with an error if one of its numbers is not
 * valid. */
static GPtrArray *
make_sorted_keys (const TallKeyStrategy *strategy, const char *const *sample, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (; *sample != NULL; sample++)
    {
      if (!tall_validate_number (*sample, "sample", error))
        return NULL;
      GByteArray *key = g_byte_array_new ();
      strategy->append_customer (*sample, 0, key);
      g_ptr_array_add (keys, key);
    }
  g_ptr_array_sort (keys, compare_keys);
  return g_steal_pointer (&keys);
}

/* The position at which each distinct key first occurs in the sorted keys. */
static GArray *
find_firsts (const GPtrArray *keys)
{
  GArray *firsts = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < keys->len; i++)
    if (i == 0 || compare_keys (&keys->pdata[i - 1], &keys->pdata[i]) != 0)
      g_array_append_val (firsts, i);
  return firsts;
}

/**
 * tall_key_splits_append_sample:
 *
 * Splits at customers of the sample, so that every region has about the same number of its orders.
 * A customer with more than a region's share makes its region larger. Every region has at least one
 * customer.
 */
gboolean
tall_key_splits_append_sample (const TallKeyStrategy *strategy,
                               guint n_regions,
                               const char *const *sample,
                               GPtrArray *splits,
                               GError **error)
{
  g_autoptr (GPtrArray) keys = make_sorted_keys (strategy, sample, error);
  if (keys == NULL)
    return FALSE;

  g_autoptr (GArray) firsts = find_firsts (keys);
  if (firsts->len < n_regions)
    return tall_error_fail_invalid (error, "sample",
                                    "%u regions, but the sample has %u different customers: give a "
                                    "larger sample, or choose fewer regions",
                                    n_regions, firsts->len);

  guint at = 0; /* among the different ones */
  for (guint i = 1; i < n_regions; i++)
    {
      guint64 before = (guint64)i * keys->len / n_regions; /* orders in the regions so far */
      at++;
      while (at < firsts->len - (n_regions - i) && g_array_index (firsts, guint, at) < before)
        at++;
      GByteArray *key = keys->pdata[g_array_index (firsts, guint, at)];
      g_ptr_array_add (splits, g_byte_array_ref (key));
    }
  return TRUE;
}

#define TALL_KEY_STRATEGY_ENTRY(name) &tall_key_##name,

static const TallKeyStrategy *const strategies[] = { TALL_KEY_STRATEGIES (
    TALL_KEY_STRATEGY_ENTRY) };

/**
 * tall_key_strategy_check:
 *
 * Ends the process if the strategy is not complete. All in the list are checked before the first
 * use.
 */
void
tall_key_strategy_check (const TallKeyStrategy *self)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallKeyStrategy, name),
    TALL_SLOT (TallKeyStrategy, summary),
    TALL_SLOT (TallKeyStrategy, append_customer),
    TALL_SLOT (TallKeyStrategy, append_order),
    TALL_SLOT (TallKeyStrategy, measure_customer),
    TALL_SLOT (TallKeyStrategy, measure_order),
    TALL_SLOT (TallKeyStrategy, append_splits),
    /* of strategies that need ids */
    TALL_SLOT (TallKeyStrategy, parse_id),
  };
  guint n = G_N_ELEMENTS (slots) - (self->needs_id ? 0 : 1);
  tall_slots_check (self->name, "TallKeyStrategy", self, slots, n);
}

/**
 * tall_key_strategies:
 * @n: (out): how many
 *
 * Returns: (transfer none): all key strategies, the default first
 */
const TallKeyStrategy *const *
tall_key_strategies (guint *n)
{
  static gsize checked;
  if (g_once_init_enter (&checked))
    {
      for (guint i = 0; i < G_N_ELEMENTS (strategies); i++)
        tall_key_strategy_check (strategies[i]);
      g_once_init_leave (&checked, 1);
    }
  *n = G_N_ELEMENTS (strategies);
  return strategies;
}

/**
 * tall_key_strategy_find:
 *
 * Returns: (transfer none): the strategy of that name; NULL with %TALL_ERROR_INVALID, listing those
 *   that exist, if there is none
 */
const TallKeyStrategy *
tall_key_strategy_find (const char *name, GError **error)
{
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      if (g_strcmp0 (all[i]->name, name) == 0)
        return all[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", all[i]->name);
    }

  tall_error_set_invalid (error, "key_strategy", "There is no key strategy “%s”; choose one of: %s",
                          name, known->str);
  return NULL;
}

/**
 * tall_key_strategy_choose:
 * @name: (nullable): NULL: the default, which is the first of the list
 *
 * Returns: (transfer none): as tall_key_strategy_find()
 */
const TallKeyStrategy *
tall_key_strategy_choose (const char *name, GError **error)
{
  guint n;
  return name == NULL ? tall_key_strategies (&n)[0] : tall_key_strategy_find (name, error);
}
