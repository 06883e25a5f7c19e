/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-late.h"

#include "tall-error.h"
#include "tall-history.h"
#include "key/strategy.h"

/* After so long an operation gives up, and may leave its claim. */
#define OPERATION (10 * G_GINT64_CONSTANT (1000000000))

/* All times are those of the history. */
struct _TallLateWrite
{
  char *customer;
  char *order;
  gint64 begun;
  gint64 ended;     /* 0: it is under way */
  gboolean unknown; /* its outcome: then it keeps the rows, which may be stored */
  gint64 cleaned;   /* when a put of the order had ended that began after it; 0: there was none */
};

struct _TallLate
{
  TallStore *store;
  gint64 patience; /* nanoseconds */
  GMutex mutex;
  GPtrArray *writes; /* of TallLateWrite: those that may have left something, or are under way */
};

static void
write_free (gpointer data)
{
  TallLateWrite *self = data;
  g_free (self->customer);
  g_free (self->order);
  g_free (self);
}

/**
 * tall_late_new:
 * @store: (transfer none): any that sees the orders; must outlive it
 * @patience: nanoseconds that a foreign claim may stay unchanged
 */
TallLate *
tall_late_new (TallStore *store, gint64 patience)
{
  TallLate *self = g_new0 (TallLate, 1);
  self->store = store;
  self->patience = patience;
  self->writes = g_ptr_array_new_with_free_func (write_free);
  g_mutex_init (&self->mutex);
  return self;
}

void
tall_late_free (TallLate *self)
{
  g_ptr_array_unref (self->writes);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * tall_late_begin:
 *
 * To be called before a write of an order.
 *
 * Returns: (nullable): for tall_late_end()
 */
TallLateWrite *
tall_late_begin (TallLate *self, const char *customer, guint order)
{
  if (self == NULL)
    return NULL;
  TallLateWrite *write = g_new0 (TallLateWrite, 1);
  write->customer = g_strdup (customer);
  write->order = g_strdup_printf ("%u", order);
  write->begun = tall_history_now ();
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_ptr_array_add (self->writes, write);
  return write;
}

static gboolean
is_same_order (const TallLateWrite *one, const TallLateWrite *other)
{
  return g_str_equal (one->customer, other->customer) && g_str_equal (one->order, other->order);
}

/**
 * tall_late_end:
 * @stored: whether it was a put that has stored the order
 * @error: (nullable): why it was not
 *
 * To be called after a write of an order.
 */
void
tall_late_end (TallLate *self, TallLateWrite *write, gboolean stored, const GError *error)
{
  if (self == NULL)
    return;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  write->ended = tall_history_now ();
  for (guint i = 0; stored && i < self->writes->len; i++)
    {
      TallLateWrite *before = g_ptr_array_index (self->writes, i);
      if (before->ended != 0 && before->ended < write->begun && before->cleaned == 0
          && is_same_order (before, write))
        before->cleaned = write->ended;
    }
  write->unknown = g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  if (!write->unknown && write->ended - write->begun < self->patience)
    g_ptr_array_remove_fast (self->writes, write);
}

/* Whether a write can leave that. */
static gboolean
can_leave (const TallLate *self, const TallLateWrite *write, TallFindingKind kind)
{
  gint64 took = (write->ended != 0 ? write->ended : tall_history_now ()) - write->begun;
  if (kind == TALL_FINDING_LEFTOVER)
    return write->unknown || took >= self->patience;
  return kind == TALL_FINDING_STALE_CLAIM && (write->unknown || took >= OPERATION);
}

/* A part of a row key; empty: it has none of that name. */
static TallSlice
find_part (const TallLate *self, const TallFinding *finding, const char *name)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  gsize at = 0;
  tall_store_get_layout (self->store)
      ->name_parts (tall_store_get_key_strategy (self->store), finding->table, finding->row, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (parts, TallRowPart, i);
      if (g_str_equal (part->name, name))
        return tall_slice (finding->row.data + at, part->len);
      at += part->len;
    }
  return (TallSlice)TALL_SLICE_INIT;
}

/* Whether it is about the order. Its rows need not say whose they are. */
static gboolean
is_of (const TallLate *self, const TallLateWrite *write, const TallFinding *finding)
{
  g_auto (TallOrderKey) key = { 0 };
  guint64 id = 0;
  if (!tall_store_find_id (self->store, write->customer, &id, NULL))
    return FALSE;
  tall_order_key_init (&key, tall_store_get_key_strategy (self->store), write->customer, id,
                       write->order);
  return tall_slice_equal (find_part (self, finding, "customer"), key.customer)
         && tall_slice_equal (find_part (self, finding, "order"), key.order);
}

/**
 * tall_late_explains:
 * @since: the rows were read after this time
 *
 * Returns: whether a write that was late, or has an unknown outcome, can have left what was found
 */
gboolean
tall_late_explains (TallLate *self, const TallFinding *finding, gint64 since)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->writes->len; i++)
    {
      const TallLateWrite *write = g_ptr_array_index (self->writes, i);
      if (can_leave (self, write, finding->kind) && (write->cleaned == 0 || write->cleaned >= since)
          && is_of (self, write, finding))
        return TRUE;
    }
  return FALSE;
}

/**
 * tall_late_count:
 *
 * Returns: how many writes were late, have an unknown outcome, or are under way
 */
guint
tall_late_count (TallLate *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  return self->writes->len;
}
