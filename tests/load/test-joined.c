/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-json.h"
#include "tall-test-files.h"
#include "tall-test-loads.h"

/* Files that are joined, with their rows in any order and some of them damaged. The test knows what
 * has to become of each row: the good orders are those of a flat file, and of every file each row
 * has its one end. */

#define MAP                                                                                        \
  "SELECT lines.O AS order_number, C AS customer_number, D AS sales_date, City AS "                \
  "\"location.address.city\", N AS \"line.number\", I AS \"line.item_number\", Q AS "              \
  "\"line.quantity\", lines.line FROM lines LEFT JOIN heads USING (O) LEFT JOIN people USING (K)"
#define FLAT_MAP                                                                                   \
  "[order]\norder_number=O\ncustomer_number=C\nsales_date=D\n[location]\n"                         \
  "address.city=City\n[line]\nnumber=N\nitem_number=I\nquantity=Q\n"
#define FLAT_HEADER "O,C,D,City,N,I,Q\n"
#define MAX_FILES 3 /* of a kind */

enum
{
  HEADS,
  LINES,
  PEOPLE,
  N_KINDS
};

static const struct
{
  const char *name;
  const char *header;
} kinds[N_KINDS] = { { "heads", "O,K,D\n" }, { "lines", "O,N,I,Q\n" }, { "people", "K,C,City\n" } };

typedef enum
{
  GOOD,
  NO_HEADER,
  TWO_HEADERS,
  BAD_DATE,
  SHORT_HEADER,
  NO_LINES,
  BAD_QUANTITY,
  SAME_LINE,
  NO_PERSON,
  SHORT_PERSON,
  NO_NUMBER,
  N_DAMAGES
} Damage;

typedef struct
{
  guint kind;
  gboolean is_good; /* of lines: it is to be stored */
  char *text;
} Row;

typedef struct
{
  GRand *rand;
  GPtrArray *rows[N_KINDS]; /* of Row */
  GPtrArray *flat;          /* the good orders */
  guint n_orders;
  guint n_good;
} Sample;

static void
row_free (gpointer data)
{
  Row *row = data;
  g_free (row->text);
  g_free (row);
}

static void G_GNUC_PRINTF (4, 5)
    add_row (Sample *self, guint kind, gboolean is_good, const char *format, ...)
{
  va_list values;
  Row *row = g_new0 (Row, 1);
  row->kind = kind;
  row->is_good = is_good;
  va_start (values, format);
  row->text = g_strdup_vprintf (format, values);
  va_end (values);
  g_ptr_array_add (self->rows[kind], row);
}

static void
add_lines (Sample *self, guint order, Damage damage)
{
  guint n = damage == NO_LINES ? 0 : (guint)g_rand_int_range (self->rand, 2, 7);
  guint bad = (guint)g_rand_int_range (self->rand, 1, (gint)n + 1 + (n == 0));
  for (guint i = 1; i <= n; i++)
    {
      const char *quantity = i != bad ? "1" : damage == BAD_QUANTITY ? "x" : "2";
      guint number = damage == SAME_LINE && i == n ? 1 : i;
      add_row (self, LINES, damage == GOOD, "%u,%u,\"i, %u\",%s", order, number, i, quantity);
      if (damage == GOOD)
        g_ptr_array_add (self->flat,
                         g_strdup_printf ("%u,C%u,2020-01-0%u,Ort %u,%u,\"i, %u\",%s", order,
                                          order % 7, order % 9 + 1, order, number, i, quantity));
    }
}

static void
add_header (Sample *self, guint order, Damage damage)
{
  if (damage == SHORT_HEADER)
    add_row (self, HEADS, FALSE, "%u,k%u", order, order);
  else if (damage != NO_HEADER)
    add_row (self, HEADS, damage == GOOD, "%u,k%u,%s%u", order, order,
             damage == BAD_DATE ? "when " : "2020-01-0", order % 9 + 1);
  if (damage == TWO_HEADERS)
    add_row (self, HEADS, FALSE, "%u,k%u,2021-01-01", order, order);
}

static void
add_order (Sample *self, guint order, Damage damage)
{
  add_header (self, order, damage);
  add_lines (self, order, damage);
  if (damage == SHORT_PERSON)
    add_row (self, PEOPLE, FALSE, "k%u", order);
  else if (damage == NO_NUMBER)
    add_row (self, PEOPLE, TRUE, "k%u,,Ort", order);
  else if (damage != NO_PERSON)
    add_row (self, PEOPLE, TRUE, "k%u,C%u,Ort %u", order, order % 7, order);
  self->n_orders++;
  self->n_good += damage == GOOD;
}

static void
sample_init (Sample *self, guint32 seed)
{
  *self = (Sample){ .rand = g_rand_new_with_seed (seed),
                    .flat = g_ptr_array_new_with_free_func (g_free) };
  for (guint i = 0; i < N_KINDS; i++)
    self->rows[i] = g_ptr_array_new_with_free_func (row_free);
  gboolean damages = g_rand_boolean (self->rand);
  for (guint n = (guint)g_rand_int_range (self->rand, 1, 40), i = 0; i < n; i++)
    add_order (self, i,
               damages && g_rand_int_range (self->rand, 0, 3) == 0
                   ? (Damage)g_rand_int_range (self->rand, 0, N_DAMAGES)
                   : GOOD);
  for (guint i = 0; i < N_KINDS; i++)
    tall_test_load_shuffle (self->rows[i], self->rand);
}

static void
sample_clear (Sample *self)
{
  for (guint i = 0; i < N_KINDS; i++)
    g_ptr_array_unref (self->rows[i]);
  g_ptr_array_unref (self->flat);
  g_rand_free (self->rand);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

/* Deals the rows out to files, those of the kinds in any order. @good (out): of each file of lines
 */
static void
deal (Sample *self, TallTestLoad *load, GArray *good)
{
  guint first = (guint)g_rand_int_range (self->rand, 0, N_KINDS);
  for (guint k = first; k < first + N_KINDS; k++)
    {
      const GPtrArray *rows = self->rows[k % N_KINDS];
      guint n = (guint)g_rand_int_range (self->rand, 1, MAX_FILES + 1);
      for (guint i = 0; i < n; i++)
        {
          guint n_good = 0;
          g_autoptr (GString) text = g_string_new (kinds[k % N_KINDS].header);
          for (guint r = i * rows->len / n; r < (i + 1) * rows->len / n; r++)
            {
              const Row *row = g_ptr_array_index (rows, r);
              g_string_append_printf (text, "%s\n", row->text);
              n_good += row->is_good && k % N_KINDS == LINES;
            }
          tall_test_load_add (load, kinds[k % N_KINDS].name, text->str, -1);
          g_array_append_val (good, n_good);
        }
    }
}

static void
load_flat (const Sample *self, TallFaultyFront *front)
{
  g_auto (TallTestLoad) load;
  g_autoptr (GString) text = g_string_new (FLAT_HEADER);
  tall_test_load_init (&load, FLAT_MAP);
  for (guint i = 0; i < self->flat->len; i++)
    g_string_append_printf (text, "%s\n", (const char *)g_ptr_array_index (self->flat, i));
  tall_test_load_add (&load, NULL, text->str, -1);
  g_assert_true (tall_test_load_run (&load, front));
  g_assert_cmpuint (tall_rejects_get_count (load.rejects), ==, 0);
}

static void
assert_same (const Sample *self, TallFaultyFront *front)
{
  g_autoptr (TallFaultyFront) flat = tall_faulty_front_new ();
  load_flat (self, flat);
  g_assert_cmpuint (tall_faulty_front_count_orders (flat), ==, self->n_good);
  g_assert_cmpuint (tall_faulty_front_count_orders (front), ==, self->n_good);
  for (guint i = 0; i < self->n_orders; i++)
    {
      g_autofree char *customer = g_strdup_printf ("C%u", i % 7);
      g_autofree char *order = g_strdup_printf ("%u", i);
      g_autofree char *one = tall_test_load_get_json (flat, customer, order);
      g_autofree char *other = tall_test_load_get_json (front, customer, order);
      g_assert_cmpstr (one, ==, other);
    }
}

static void
test_property (void)
{
  for (guint32 seed = 0; seed < 100; seed++)
    {
      g_auto (Sample) sample;
      g_auto (TallTestLoad) load;
      g_autoptr (GArray) good = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
      sample_init (&sample, seed);
      tall_test_load_init (&load, MAP);
      load.options.allows_bad_rows = TRUE;
      deal (&sample, &load, good);
      g_test_message ("seed %u", seed);
      g_assert_true (tall_test_load_run (&load, front));
      for (guint i = 0; i < good->len; i++)
        {
          const TallLoadFile *file = tall_load_files_get (load.files, i);
          g_assert_cmpuint (file->n_ended[TALL_LOAD_STORED], ==, g_array_index (good, guint, i));
          g_assert_true (file->n_kept == 0 || !g_str_equal (file->kind_name, "lines"));
        }
      assert_same (&sample, front);
    }
}

/* Stops the load in one stage, after some of its reports. */
typedef struct
{
  gint stop;
  TallLoadStage stage;
  guint after;
} Stopper;

static void
on_progress (TallLoadStage stage,
             const TallLoadSummary *summary G_GNUC_UNUSED,
             guint64 position G_GNUC_UNUSED,
             guint64 size G_GNUC_UNUSED,
             gpointer data)
{
  Stopper *self = data;
  if (stage == self->stage && self->after-- == 0)
    g_atomic_int_set (&self->stop, 1);
}

/* Orders of one header and two lines each; every hundredth has a bad line. */
static void
add_many (TallTestLoad *load, guint n)
{
  g_autoptr (GString) heads = g_string_new (kinds[HEADS].header);
  g_autoptr (GString) lines = g_string_new (kinds[LINES].header);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (heads, "%u,k,2020-01-01\n", i);
      g_string_append_printf (lines, "%u,1,a,1\n%u,2,b,%s\n", i, i, i % 100 == 0 ? "x" : "1");
    }
  tall_test_load_add (load, "heads", heads->str, -1);
  tall_test_load_add (load, "lines", lines->str, -1);
  tall_test_load_add (load, "people", "K,C,City\nk,C,Ort\n", -1);
}

/* Whatever cuts a load short, what its sums call stored is what is stored, whole. */
static void
test_cut_short (void)
{
  const guint n = 3000;
  for (guint i = 0; i < 4; i++)
    {
      g_auto (TallTestLoad) load;
      g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
      Stopper stopper = { 0, i == 0 ? TALL_LOAD_STORES : TALL_LOAD_GATHERS, 3 };
      tall_test_load_init (&load, MAP);
      add_many (&load, n);
      if (i < 2)
        {
          load.options.progress = on_progress;
          load.options.data = &stopper;
          load.options.stop = &stopper.stop;
        }
      else if (i == 2)
        tall_rejects_set_limit (load.rejects, 10, 0);
      else
        tall_faulty_front_fail (front, "1501", TALL_ERROR_INTERNAL, 1, FALSE);
      g_assert_false (tall_test_load_run (&load, front));
      guint64 lines = tall_load_files_get (load.files, 1)->n_ended[TALL_LOAD_STORED];
      guint n_orders = tall_faulty_front_count_orders (front);
      g_assert_cmpuint (lines, ==, 2 * n_orders);
      g_assert_cmpuint (n_orders, <, n);
      g_assert_true (i == 0 || n_orders > 0);
    }
}

/* A row that cannot be read may be one of any order, so nothing is stored; one that has no number
 * is rejected alone. */
static void
test_gap (void)
{
  static const struct
  {
    const char *heads, *lines;
    guint n_stored;
  } cases[] = {
    { "1,k,\n2,k,\n", "1,1,a,1\n\"x\"y\n1,2,a,1\n2,1,a,1\n", 0 },
    { "1,k,\n2,k,\n", "1,1,a,1\n2,1,a,1\n2,2,a,1\n\"x\"y\n", 0 },
    { "1,k,\n\"x\"y\n2,k,\n", "1,1,a,1\n2,1,a,1\n", 0 },
    { "1,k,\n2,k,\n", "1,1,a,1\n,9,a,1\n2,1,a,1\n2,2,a,1\n,9,a,1\n", 2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (TallTestLoad) load;
      g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
      g_autofree char *heads = g_strconcat (kinds[HEADS].header, cases[i].heads, NULL);
      g_autofree char *lines = g_strconcat (kinds[LINES].header, cases[i].lines, NULL);
      g_test_message ("%s%s", cases[i].heads, cases[i].lines);
      tall_test_load_init (&load, MAP);
      tall_test_load_add (&load, "heads", heads, -1);
      tall_test_load_add (&load, "lines", lines, -1);
      tall_test_load_add (&load, "people", "K,C,City\nk,C,Ort\n", -1);
      g_assert_true (tall_test_load_run (&load, front) == (cases[i].n_stored > 0));
      g_assert_cmpuint (tall_faulty_front_count_orders (front), ==, cases[i].n_stored);
    }
}

/* Loads the same again: the sums say so, for each file. */
static void
test_again (void)
{
  g_autoptr (TallFaultyFront) front = tall_faulty_front_new ();
  for (guint i = 0; i < 2; i++)
    {
      g_auto (TallTestLoad) load;
      tall_test_load_init (&load, MAP);
      add_many (&load, 50);
      g_assert_true (tall_test_load_run (&load, front));
      TallLoadEnd end = i == 0 ? TALL_LOAD_STORED : TALL_LOAD_UNCHANGED;
      g_assert_cmpuint (tall_load_files_get (load.files, 0)->n_kept, ==, 50);
      g_assert_cmpuint (tall_load_files_get (load.files, 1)->n_ended[end], ==, 98);
      g_assert_cmpuint (tall_load_files_get (load.files, 2)->n_kept, ==, 1);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/joined/property", test_property);
  g_test_add_func ("/load/joined/cut-short", test_cut_short);
  g_test_add_func ("/load/joined/gap", test_gap);
  g_test_add_func ("/load/joined/again", test_again);
  return g_test_run ();
}
