/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A repair beside writers, call by call: whoever is late, the order is what the answers say. */
#include "tall-error.h"
#include "tall-stepper.h"
#include "tall-must.h"
#include "tall-test-cells.h"

#define READ TALL_CALL_READ
#define APPLY TALL_CALL_APPLY
#define APPLY_IF TALL_CALL_APPLY_IF

/* An order of writer 10, and in its root row a cell of no revision that counts. */
typedef struct
{
  const TallLayout *layout;
  TallTable *table;
  TallStepper *maker;
  TallStepper *writer;
  TallStepper *repair;
} Race;

static void
leave_cell (Race *self, gint64 timestamp)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, TALL_TEST_ORDER);
  const char *table = self->layout->locate_order (&key, row);
  tall_test_put (self->table, table, tall_slice_array (row),
                 (TallCell){ tall_slice_str ("left"), timestamp, tall_slice_str ("x") });
}

/* @table: (transfer full) */
static void
race_init_on (Race *self, gconstpointer layout, TallTable *table)
{
  self->layout = layout;
  self->table = table;
  self->maker = tall_stepper_new (self->table, 1000);
  self->writer = tall_stepper_new (self->table, 1000);
  self->repair = tall_stepper_new (self->table, 1000);
}

static void
race_init (Race *self, gconstpointer layout)
{
  race_init_on (self, layout, tall_stepper_table_new (layout));
}

static void
race_clear (Race *self)
{
  tall_stepper_free (self->repair);
  tall_stepper_free (self->writer);
  tall_stepper_free (self->maker);
  g_object_unref (self->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Race, race_clear)

static void
make (Race *self)
{
  tall_stepper_put_whole (self->maker, 10, 2);
  leave_cell (self, TALL_STEPPER_TIME (2000));
}

/* Everything has ended: the order of @seen is there, and nothing is wrong. */
static void
expect (Race *self, guint seen)
{
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE };
  tall_stepper_finish (self->repair);
  g_assert_no_error (tall_stepper_get_error (self->repair));
  g_assert_cmpuint (tall_stepper_see (self->table), ==, seen);
  g_autoptr (TallStore) store = tall_test_open (self->table, NULL);
  must (tall_front_verify (TALL_FRONT (store), &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  tall_stepper_go_on_alone (self->table);
}

static void
test_repaired (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init (&self, layout);
  make (&self);
  tall_stepper_repair (self.repair);
  expect (&self, 10);
}

/* The claim finds something else than was looked at. */
static void
test_overtaken (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init (&self, layout);
  make (&self);
  tall_stepper_repair (self.repair);
  tall_stepper_reach (self.repair, APPLY_IF);
  tall_stepper_put_whole (self.writer, 11, 1);
  expect (&self, 11);
}

/* The claim is claimed over before anything is removed, and before it is given up. */
static void
test_claimed_over (gconstpointer layout)
{
  static const TallCallKind before[] = { APPLY, APPLY_IF };
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    {
      g_auto (Race) self = { 0 };
      race_init (&self, layout);
      make (&self);
      tall_stepper_repair (self.repair);
      tall_stepper_reach (self.repair, APPLY_IF);
      tall_stepper_step (self.repair, APPLY_IF);
      tall_stepper_reach (self.repair, before[i]);
      tall_stepper_put_whole (self.writer, 11, 1);
      expect (&self, 11);
    }
}

/* Until it stands before its commit: it takes the order for new at first. */
static void
reach_commit (Race *self)
{
  guint n = self->layout->single_row ? 1 : 2;
  tall_stepper_put (self->writer, 11, 1, NULL);
  for (guint i = 0; i < n; i++)
    {
      tall_stepper_reach (self->writer, APPLY_IF);
      tall_stepper_step (self->writer, APPLY_IF);
    }
  tall_stepper_reach (self->writer, APPLY_IF);
}

static void
repair_whole (Race *self)
{
  tall_stepper_repair (self->repair);
  tall_stepper_finish (self->repair);
  g_assert_no_error (tall_stepper_get_error (self->repair));
}

/* A put whose rows the repair takes for left does it again. */
static void
test_put_overtaken (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init (&self, layout);
  make (&self);
  reach_commit (&self);
  repair_whole (&self);
  tall_stepper_finish (self.writer);
  g_assert_no_error (tall_stepper_get_error (self.writer));
  expect (&self, 11);
}

/* An order that is not committed yet: the hints that were written for it lead nowhere, and the
 * repair removes them. The put writes them again. */
static void
test_hints_go (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init_on (&self, layout, tall_test_table_new (layout, &tall_key_hashed));
  tall_stepper_put (self.writer, 11, 1, NULL);
  tall_stepper_reach (self.writer, APPLY_IF);
  repair_whole (&self);
  tall_stepper_finish (self.writer);
  g_assert_no_error (tall_stepper_get_error (self.writer));
  expect (&self, 11);
}

/* A commit that comes after the repair does not match any more. */
static void
test_late_put (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init (&self, layout);
  make (&self);
  reach_commit (&self);
  tall_stepper_fail (self.writer, APPLY_IF, TALL_FAILURE_LATE);
  repair_whole (&self);
  g_assert_cmpuint (tall_stepper_deliver_late (self.writer), ==, 0);
  g_assert_cmpuint (tall_stepper_see (self.table), ==, 10);
  tall_stepper_finish (self.writer);
  g_assert_no_error (tall_stepper_get_error (self.writer));
  expect (&self, 11);
}

/* The one who made the row lost the answer. Somebody deletes the order, and the repair claims the
 * tombstone: if its token took the place of the mark, the maker would put the order once more. */
static void
test_deleted (gconstpointer layout)
{
  g_auto (Race) self = { 0 };
  race_init (&self, layout);
  tall_stepper_put (self.maker, 10, 2, NULL);
  if (!self.layout->single_row)
    {
      tall_stepper_step (self.maker, APPLY_IF);
      tall_stepper_reach (self.maker, APPLY_IF);
    }
  tall_stepper_fail (self.maker, APPLY_IF, TALL_FAILURE_LOST);
  g_assert_cmpuint (tall_stepper_see (self.table), ==, 10);
  tall_stepper_delete (self.writer);
  tall_stepper_finish (self.writer);
  leave_cell (&self, TALL_STEPPER_TIME (2000));
  repair_whole (&self);
  tall_stepper_finish (self.maker);
  must_be (tall_stepper_get_error (self.maker),
           self.layout->single_row ? 0 : TALL_ERROR_OUTCOME_UNKNOWN);
  expect (&self, 0);
}

static const struct
{
  const char *name;
  GTestDataFunc test;
} races[] = {
  { "repaired", test_repaired },
  { "overtaken-by-a-put", test_overtaken },
  { "claimed-over-by-a-put", test_claimed_over },
  { "put-overtaken", test_put_overtaken },
  { "hints-go", test_hints_go },
  { "late-put", test_late_put },
  { "deleted-stays-deleted", test_deleted },
};

int
main (int argc, char *argv[])
{
  guint n_layouts;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_layouts; i++)
    for (guint j = 0; j < G_N_ELEMENTS (races); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/repair-race/%s/%s", layouts[i]->name, races[j].name);
        g_test_add_data_func (path, layouts[i], races[j].test);
      }
  return g_test_run ();
}
