/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The mechanism of all listings, on one that lists the numbers from 1 to 100. */
#include "tall-error.h"
#include "tall-must.h"
#include "store/read/pager.h"

#define SECOND G_USEC_PER_SEC
#define LAST 100
#define A_ROUND 10 /* numbers that a round of reads looks at */
#define PREFIX "all numbers: "

/* What is different in a test. */
typedef struct
{
  TallPager pager;
  gint64 now;        /* microseconds */
  gint64 takes;      /* a round */
  guint first_shown; /* numbers before this one are passed over */
  guint n_rounds;
  guint fails_at; /* this number; 0: none does */
  guint at;       /* the number that comes next */
  guint size;     /* bytes that each takes on the page */
} Numbers;

static gint64
now (gpointer data)
{
  return ((Numbers *)data)->now;
}

static TallSlice
name (guint32 *number)
{
  return tall_slice (number, sizeof *number);
}

static gboolean
look (TallPager *pager, guint round, GError **error)
{
  Numbers *self = (Numbers *)pager;
  g_assert_cmpuint (round, ==, self->n_rounds++);
  self->now += self->takes;
  for (guint i = 0; i < A_ROUND && self->at <= LAST; i++, self->at++)
    {
      g_autoptr (GByteArray) position = g_byte_array_new ();
      if (self->at == self->fails_at)
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "not now");
          return FALSE;
        }
      if (self->at < self->first_shown)
        continue;
      tall_bytes_append (position, tall_slice_str (PREFIX));
      tall_bytes_append (position, name (&self->at));
      if (!tall_pager_take_room (pager, tall_slice_array (position)))
        return TRUE;
      pager->n_bytes += self->size;
      g_array_append_val (pager->entries, self->at);
    }
  pager->ended = self->at > LAST;
  return TRUE;
}

static void
end_early (TallPager *pager)
{
  Numbers *self = (Numbers *)pager;
  guint32 before = self->at - 1;
  pager->more = TRUE;
  tall_bytes_set (pager->last, tall_slice_str (PREFIX));
  tall_bytes_append (pager->last, name (&before));
}

/* No token can name the place. */
static void
go_on (TallPager *pager G_GNUC_UNUSED)
{
}

static const TallPagerKind patient = {
  .token = TALL_PAGE_ORDERS,
  .entry_size = sizeof (guint),
  .most_bytes = 100000,
  .time_over = "no time for numbers",
  .look = look,
  .end_early = end_early,
};

/* One page. Returns: (transfer full): its token; NULL: the last, or @error */
static char *
fill_page (Numbers *self,
           const TallPagerKind *kind,
           const TallListOptions *options,
           GArray *found,
           GError **error)
{
  TallStoreContext context = { .id = "of a test", .hooks = { .monotonic = now, .data = self } };
  TallOperation operation = { 0 };
  tall_operation_init (&operation, &context, "VINET", NULL, 0);
  tall_pager_init (&self->pager, kind, &operation, options);
  tall_bytes_set (self->pager.last, tall_slice_str (PREFIX));
  self->pager.n_prefix = strlen (PREFIX);
  self->n_rounds = 0;
  self->at = 1;
  g_assert_true (tall_pager_read_token (&self->pager, error));
  if (tall_pager_has_token (&self->pager))
    {
      memcpy (&self->at, self->pager.last->data + strlen (PREFIX), sizeof self->at);
      self->at++;
    }
  char *next = NULL;
  if (tall_pager_fill (&self->pager, error))
    {
      TallPagerContent content = tall_pager_finish (&self->pager);
      g_array_append_vals (found, content.entries, content.n_entries);
      next = g_strdup (content.next_page);
      tall_arena_free (content.arena);
    }
  tall_pager_clear (&self->pager);
  return next;
}

/* All pages of a listing hold every number once. Returns: how many pages there were */
static guint
walk (Numbers *self, const TallPagerKind *kind, guint limit)
{
  guint n_pages = 0;
  g_autofree char *page = NULL;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  do
    {
      g_autoptr (GError) error = NULL;
      const TallListOptions options = { .limit = limit, .page = page };
      char *next = fill_page (self, kind, &options, found, &error);
      g_assert_no_error (error);
      g_free (page);
      page = next;
      g_assert_cmpuint (++n_pages, <=, LAST);
    }
  while (page != NULL);
  guint first = MAX (self->first_shown, 1);
  g_assert_cmpuint (found->len, ==, LAST + 1 - first);
  for (guint i = 0; i < found->len; i++)
    g_assert_cmpuint (g_array_index (found, guint, i), ==, first + i);
  return n_pages;
}

/* A page that is full to the last entry does not promise another one. */
static void
test_limits (void)
{
  Numbers numbers = { 0 };
  g_assert_cmpuint (walk (&numbers, &patient, 0), ==, 4); /* TALL_DEFAULT_PAGE is 30 */
  g_assert_cmpuint (walk (&numbers, &patient, 1), ==, LAST);
  g_assert_cmpuint (walk (&numbers, &patient, 25), ==, 4);
  g_assert_cmpuint (walk (&numbers, &patient, 99), ==, 2);
  g_assert_cmpuint (walk (&numbers, &patient, 100), ==, 1);
}

/* Bytes end a page, but not before its first entry. */
static void
test_bytes (void)
{
  Numbers numbers = { .size = 40000 };
  g_assert_cmpuint (walk (&numbers, &patient, 100), ==, 34);
  numbers.size = 1000000;
  g_assert_cmpuint (walk (&numbers, &patient, 100), ==, LAST);

  TallPagerKind narrow = patient;
  narrow.most_bytes = 0;
  g_assert_cmpuint (walk (&numbers, &narrow, 100), ==, LAST);
}

/* After three seconds a page ends with what there is, even nothing. */
static void
test_takes_long (void)
{
  Numbers numbers = { .takes = SECOND };
  g_assert_cmpuint (walk (&numbers, &patient, 100), ==, 4);
  numbers.first_shown = 95;
  g_assert_cmpuint (walk (&numbers, &patient, 100), ==, 4);
}

/* The time of the operation is over within the first round that shows something. */
static void
test_time_over (void)
{
  TallPagerKind hasty = patient;
  hasty.may_be_short = TRUE;
  for (guint is_hasty = 0; is_hasty < 2; is_hasty++)
    for (guint is_empty = 0; is_empty < 2; is_empty++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
        Numbers numbers = { .takes = 20 * SECOND, .first_shown = is_empty ? LAST : 1 };
        TallPagerKind kind = is_hasty ? hasty : patient;
        kind.end_early = go_on;
        g_autofree char *next = fill_page (&numbers, &kind, NULL, found, &error);
        if (is_hasty && !is_empty)
          {
            g_assert_no_error (error);
            g_assert_nonnull (next);
            g_assert_cmpuint (found->len, ==, A_ROUND);
            continue;
          }
        g_assert_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
        g_assert_cmpstr (error->message, ==, "no time for numbers");
        g_assert_null (next);
      }
}

static void
test_failure (void)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  Numbers numbers = { .fails_at = 15 };
  must_fail (fill_page (&numbers, &patient, NULL, found, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (found->len, ==, 0);
}

static void
test_unreadable (void)
{
  Numbers numbers = { 0 };
  TallStoreContext context = { .id = "of a test", .hooks = { .monotonic = now, .data = &numbers } };
  TallOperation operation = { 0 };
  g_autoptr (GError) damage =
      g_error_new_literal (TALL_ERROR, TALL_ERROR_DAMAGED, "half of it is gone");
  tall_operation_init (&operation, &context, "VINET", NULL, 0);
  tall_pager_init (&numbers.pager, &patient, &operation, NULL);
  tall_pager_add_unreadable (&numbers.pager, "7", "Number 7", damage);
  tall_pager_add_unreadable (&numbers.pager, NULL, "Some number", damage);
  TallPagerContent content = tall_pager_finish (&numbers.pager);
  g_assert_cmpuint (content.n_unreadable, ==, 2);
  g_assert_cmpstr (content.unreadable[0].number, ==, "7");
  g_assert_cmpint (content.unreadable[0].code, ==, TALL_ERROR_DAMAGED);
  g_assert_cmpstr (content.unreadable[0].message, ==, "Number 7: half of it is gone");
  g_assert_null (content.unreadable[1].number);
  g_assert_null (content.next_page);
  tall_arena_free (content.arena);
  tall_pager_clear (&numbers.pager);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pager/limits", test_limits);
  g_test_add_func ("/pager/bytes", test_bytes);
  g_test_add_func ("/pager/takes-long", test_takes_long);
  g_test_add_func ("/pager/time-over", test_time_over);
  g_test_add_func ("/pager/failure", test_failure);
  g_test_add_func ("/pager/unreadable", test_unreadable);
  return g_test_run ();
}
