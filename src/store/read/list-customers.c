/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/list.h"

#include "tall-error.h"
#include "store/read/pager.h"
#include "store/commit/root.h"

/* Bytes of what is wanted of them, where the table can tell, and of a page. */
#define MOST_BYTES (1024 * 1024)

/**
 * Walk:
 *
 * A page of the customers under construction. Root rows of customers and of orders are read, and
 * grouped by the customer part that their keys begin with. What is left of a customer that is found
 * is jumped over, so that those with many orders cost no more.
 */
typedef struct
{
  TallPager pager;
  TallRootWindow window; /* what the tables hold from the row on at which the walk is */

  /* Of one customer part. Keys made with MD5 can collide: then it is that of several customers. */
  GByteArray *part;   /* owned; empty: none yet */
  GPtrArray *numbers; /* owned, of the arena's texts: those who were found under it */
  guint n_skip;       /* how many of them were on the page before */

  /* Of a customer none of whose rows could be read so far, but who is not given up. */
  GError *damage;      /* owned; why; NULL: there is none */
  char *damaged_row;   /* owned; for people */
  GByteArray *damaged; /* owned: the customer part */
  gboolean is_own;     /* it is the customer's own row, and not that of an order */
} Walk;

static void
walk_clear (Walk *self)
{
  tall_pager_clear (&self->pager);
  tall_root_window_clear (&self->window);
  g_clear_error (&self->damage);
  g_free (self->damaged_row);
  g_byte_array_unref (self->damaged);
  g_byte_array_unref (self->part);
  g_ptr_array_unref (self->numbers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static const TallStoreContext *
get_context (const Walk *self)
{
  return self->pager.operation->context;
}

/* Moves behind everything of a customer. */
static void
jump_over (Walk *self, TallSlice part)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallSlice after = tall_slice_after_prefix (arena, part);
  self->pager.ended = after.len == 0;
  tall_bytes_set (self->pager.start, after);
}

/* Whether the row is that of a customer, and not the root row of an order. */
static gboolean
is_customer (const Walk *self, TallSlice part, TallSlice key)
{
  g_autoptr (GByteArray) row = g_byte_array_sized_new (64);
  g_auto (TallOrderKey) customer = { 0 };
  tall_order_key_init_from_parts (&customer, part, (TallSlice)TALL_SLICE_INIT);
  get_context (self)->layout->locate_customer (&customer, row);
  return tall_slice_equal (tall_slice_array (row), key);
}

static gboolean
parse_entry (
    Walk *self, TallSlice part, const TallRow *row, TallCustomerEntry *entry, GError **error)
{
  TallSlice bytes;
  g_auto (TallRoot) root = { 0 };
  *entry = (TallCustomerEntry){ 0 };
  if (!tall_root_parse_state (&root, row, &bytes, error))
    return FALSE;
  if (!root.exists || !root.state.live)
    return TRUE;
  if (is_customer (self, part, row->key))
    {
      TallCustomerSummary summary;
      if (!tall_root_check_summary (&root, error)
          || !tall_customer_summary_parse (bytes, self->pager.arena, &summary, error))
        return FALSE;
      *entry =
          (TallCustomerEntry){ (char *)summary.number, (char *)summary.name, root.state.revision };
      return TRUE;
    }
  if (!tall_root_is_live_order (&root, get_context (self)))
    return TRUE;
  TallOrderSummary summary;
  if (!tall_root_parse_order (&root, bytes, self->pager.arena, &summary, error))
    return FALSE;
  *entry = (TallCustomerEntry){ (char *)summary.customer_number, NULL, 0 };
  return TRUE;
}

static void
forget_damage (Walk *self)
{
  g_clear_error (&self->damage);
  g_clear_pointer (&self->damaged_row, g_free);
}

/* The customer of whom no row could be read is listed as such. */
static void
give_up_damaged (Walk *self)
{
  if (self->damage == NULL
      || !tall_pager_take_room (&self->pager, tall_slice_array (self->damaged)))
    return;
  g_autofree char *what = g_strdup_printf ("The customer with row %s", self->damaged_row);
  tall_pager_add_unreadable (&self->pager, NULL, what, self->damage);
  forget_damage (self);
}

/* One of the customer's other rows may tell who it is. */
static void
remember_damage (Walk *self, TallSlice part, TallSlice key, const GError *damage)
{
  if (self->damage != NULL)
    return;
  self->damage = g_error_copy (damage);
  self->damaged_row = tall_slice_to_debug (key);
  self->is_own = is_customer (self, part, key);
  tall_bytes_set (self->damaged, part);
}

/* No room for one more of those who have this part: the next page goes on among them. */
static void
stop_among (Walk *self, TallSlice part)
{
  tall_bytes_set (self->pager.last, part);
  tall_bytes_append_u8 (self->pager.last, (guint8)MIN (self->numbers->len, G_MAXUINT8));
}

/* Of orders that could not be read, before this row, getting them tells. */
static void
take_entry (Walk *self, TallSlice part, const TallCustomerEntry *entry)
{
  if (self->n_skip == 0 && !tall_pager_take_room (&self->pager, part))
    {
      if (self->numbers->len > 0)
        stop_among (self, part);
      return;
    }
  if (self->n_skip == 0)
    g_array_append_val (self->pager.entries, *entry);
  if (self->n_skip == 0 && self->damage != NULL && self->is_own)
    {
      g_autofree char *what =
          g_strdup_printf ("Customer %s, row %s", entry->number, self->damaged_row);
      tall_pager_add_unreadable (&self->pager, entry->number, what, self->damage);
    }
  self->n_skip -= self->n_skip > 0;
  g_ptr_array_add (self->numbers, entry->number);
  forget_damage (self);
  jump_over (self, part);
}

static void
begin_part (Walk *self, TallSlice part)
{
  if (tall_slice_equal (part, tall_slice_array (self->part)))
    return;
  if (self->damage != NULL)
    give_up_damaged (self);
  tall_bytes_set (self->part, part);
  g_ptr_array_set_size (self->numbers, 0);
  self->n_skip = 0;
}

static gboolean
is_known (const Walk *self, const char *number)
{
  return g_ptr_array_find_with_equal_func (self->numbers, number, g_str_equal, NULL);
}

static void
take_row (Walk *self, const TallRow *row)
{
  TallCustomerEntry entry;
  g_autoptr (GError) damage = NULL;
  gssize len = get_context (self)->key_strategy->measure_customer (row->key);
  TallSlice part = tall_slice (row->key.data, len > 0 ? (gsize)len : row->key.len);

  begin_part (self, part);
  if (self->pager.more)
    return;
  if (!parse_entry (self, part, row, &entry, &damage))
    {
      if (self->numbers->len == 0)
        remember_damage (self, part, row->key, damage);
    }
  else if (entry.number != NULL && !is_known (self, entry.number))
    take_entry (self, part, &entry);
}

/* Rows of the last customer that have been read already may show another customer. */
static gboolean
is_to_be_jumped (const Walk *self, TallSlice key)
{
  TallSlice part = tall_slice_array (self->part);
  return tall_slice_compare (key, tall_slice_array (self->pager.start)) < 0
         && (self->numbers->len == 0 || key.len < part.len
             || memcmp (key.data, part.data, part.len) != 0);
}

static void
take_window (Walk *self)
{
  TallRootWindow *window = &self->window;
  TallPager *pager = &self->pager;
  const TallRow *row;
  while (!pager->more && (row = tall_root_window_next (window)) != NULL)
    {
      if (is_to_be_jumped (self, row->key))
        continue;
      take_row (self, row);
      if (pager->ended)
        return;
    }
  pager->ended = window->horizon.len == 0;
  if (!pager->ended && tall_slice_compare (window->horizon, tall_slice_array (pager->start)) >= 0)
    tall_bytes_set_after (pager->start, window->horizon);
}

static gboolean
look (TallPager *pager, guint round G_GNUC_UNUSED, GError **error)
{
  Walk *self = (Walk *)pager;
  if (!tall_root_window_read (&self->window, pager->operation, tall_slice_array (pager->start),
                              error))
    return FALSE;
  take_window (self);
  if (pager->ended && !pager->more)
    give_up_damaged (self);
  return TRUE;
}

/* The page goes on with the row at which the walk is. It stays open if a token cannot tell. */
static void
end_early (TallPager *pager)
{
  Walk *self = (Walk *)pager;
  TallSlice start = tall_slice_array (pager->start);
  TallSlice part = tall_slice_array (self->part);
  gssize len = get_context (self)->key_strategy->measure_customer (start);
  if (len <= 0 && self->numbers->len == 0)
    return;
  if (self->damage != NULL)
    give_up_damaged (self);
  if (pager->more)
    return;

  pager->more = TRUE;
  if (len <= 0) /* jumped behind all that begins with the part */
    {
      tall_bytes_set (pager->last, part);
      return;
    }
  gboolean same = tall_slice_equal (tall_slice (start.data, (gsize)len), part);
  tall_bytes_set (pager->last, tall_slice (start.data, (gsize)len));
  tall_bytes_append_u8 (pager->last, (guint8)(same ? MIN (self->n_skip, G_MAXUINT8) : 0));
  tall_bytes_append (pager->last, tall_slice (start.data + len, start.len - (gsize)len));
}

/* Begins after what the page before has ended with: after all who have a customer part; or, with
 * one byte after it, after so many of them, at the row whose key the part and the bytes that follow
 * make. */
static void
set_position (Walk *self)
{
  TallSlice last = tall_slice_array (self->pager.last);
  gssize len = get_context (self)->key_strategy->measure_customer (last);
  if (len <= 0 || last.len == (gsize)len)
    {
      jump_over (self, last);
      return;
    }
  TallSlice part = tall_slice (last.data, (gsize)len);
  tall_bytes_set (self->pager.start, part);
  tall_bytes_append (self->pager.start,
                     tall_slice (last.data + len + 1, last.len - (gsize)len - 1));
  tall_bytes_set (self->part, part);
  self->n_skip = last.data[len];
}

/**
 * tall_list_customers:
 * @operation: on no customer; for its context and its time
 * @options: (nullable): page
 *
 * Lists stored customers, and customers with only orders, in the order of their row keys. A
 * customer that cannot be read is listed as unreadable, so that one damaged row does not hide all
 * customers after it.
 *
 * Returns: (transfer full): a page; a short one, even an empty one, with a next page if it took
 *   long to look at what is deleted
 */
TallCustomerList *
tall_list_customers (TallOperation *operation, const TallListOptions *options, GError **error)
{
  static const TallPagerKind kind = {
    .token = TALL_PAGE_CUSTOMERS,
    .entry_size = sizeof (TallCustomerEntry),
    .most_bytes = MOST_BYTES,
    .time_over = "the time was over before a customer was found",
    .may_be_short = TRUE,
    .look = look,
    .end_early = end_early,
  };
  g_auto (Walk) self = {
    .damaged = g_byte_array_sized_new (64),
    .part = g_byte_array_sized_new (64),
    .numbers = g_ptr_array_new (),
  };
  tall_pager_init (&self.pager, &kind, operation, options);

  tall_root_window_init (&self.window, get_context (&self)->layout, MOST_BYTES);
  if (!tall_pager_read_token (&self.pager, error))
    return NULL;
  if (tall_pager_has_token (&self.pager))
    set_position (&self);
  if (!tall_pager_fill (&self.pager, error))
    return NULL;
  TallPagerContent content = tall_pager_finish (&self.pager);
  TallCustomerList *list = g_new (TallCustomerList, 1);
  *list = (TallCustomerList){ content.arena,      content.entries,      content.n_entries,
                              content.unreadable, content.n_unreadable, content.next_page };
  return list;
}
