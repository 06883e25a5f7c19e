/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/directory.h"

#include <glib/gstdio.h>

#include "tall-error.h"
#include "tall-must.h"

typedef struct
{
  char *path; /* an empty folder */
  TallRocksdbRoom *room;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->path = g_dir_make_tmp ("tallorder-XXXXXX", NULL);
  g_assert_nonnull (self->path);
  self->room = tall_rocksdb_room_new (self->path);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_rocksdb_room_free (self->room);
  g_assert_cmpint (g_rmdir (self->path), ==, 0);
  g_free (self->path);
}

static void
assert_refused (Fixture *self, gsize size)
{
  must_fail (tall_rocksdb_room_take (self->room, size, "Writing", &error), TALL_ERROR_UNAVAILABLE);
}

static void
assert_taken (Fixture *self, gsize size)
{
  must (tall_rocksdb_room_take (self->room, size, "Writing", &error));
}

/* Room that was found a moment ago does not stand for a write that is larger. */
static void
test_large_after_small (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  guint64 available = tall_rocksdb_room_measure (self->room);
  assert_taken (self, 1);
  assert_refused (self, available);
  assert_refused (self, available / 5 * 3); /* the log has it, and then the tables, too */
  assert_taken (self, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/rocksdb-room/large-after-small", Fixture, NULL, set_up, test_large_after_small,
              tear_down);
  return g_test_run ();
}
