/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-still.h"

#include "tall-error.h"
#include "tall-json.h"
#include "tall-mark.h"

#define CUSTOMER "still"
#define N_ORDERS 18
#define PAGE 5 /* entries */

/* Of three orders, one is put, one is put twice, and one is deleted. */
static gboolean
is_replaced (guint i)
{
  return i % 3 == 1;
}

static gboolean
is_deleted (guint i)
{
  return i % 3 == 2;
}

/* The same whoever asks for it. */
static TallOrder *
make_order (guint i, guint round)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1 + 2 * i + round);
  g_autofree char *content = g_strdup_printf ("still-%u-%u", i, round);
  return tall_mark_order (CUSTOMER, i, content, rand);
}

static gboolean
put_order (TallFront *front, guint i, guint round, gint64 *revision, GError **error)
{
  g_autoptr (TallOrder) order = make_order (i, round);
  TallWriteOptions options = { .has_token = TRUE };
  memset (options.token, (int)(1 + 2 * i + round), sizeof options.token);
  return tall_front_put_order (front, order, &options, revision, error);
}

/**
 * tall_still_put:
 *
 * Stores them.
 */
gboolean
tall_still_put (TallFront *front, GError **error)
{
  g_autoptr (TallCustomer) customer = tall_customer_new (CUSTOMER);
  if (!tall_front_put_customer (front, customer, NULL, NULL, error))
    return FALSE;
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      if (!put_order (front, i, 0, NULL, error)
          || (is_replaced (i) && !put_order (front, i, 1, NULL, error))
          || (is_deleted (i) && !tall_front_delete_order (front, CUSTOMER, number, NULL, error)))
        return FALSE;
    }
  return TRUE;
}

/* What is stored, and, if it is there, what putting it again with the same token answers. */
static gboolean
describe_order (TallFront *front, guint i, GString *text, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *number = g_strdup_printf ("%u", i);
  gint64 revision, again;
  g_autoptr (TallOrder) order = tall_front_get_order (front, CUSTOMER, number, &revision, &cause);
  if (order == NULL && g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_string_append_printf (text, "order %u: none\n", i);
      return TRUE;
    }
  if (order == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  g_autofree char *json = tall_order_to_json (order, FALSE);
  if (!put_order (front, i, is_replaced (i), &again, error))
    return FALSE;
  g_string_append_printf (text, "order %u @%" G_GINT64_FORMAT ", again @%" G_GINT64_FORMAT ": %s\n",
                          i, revision, again, json);
  return TRUE;
}

static void
describe_page (const TallOrderList *list, GString *text)
{
  for (guint i = 0; i < list->n_entries; i++)
    {
      const TallOrderEntry *entry = &list->entries[i];
      g_string_append_printf (text,
                              "%s @%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ", %u lines, %s\n",
                              entry->order_number, entry->revision, entry->sales_date,
                              entry->n_lines, entry->currency);
    }
  g_string_append_printf (text, "page, %u unreadable\n", list->n_unreadable);
}

static gboolean
describe_listing (TallFront *front, GString *text, GError **error)
{
  g_autofree char *page = NULL;
  do
    {
      const TallListOptions options = { .limit = PAGE, .page = page };
      g_autoptr (TallOrderList) list = tall_front_list_orders (front, CUSTOMER, &options, error);
      if (list == NULL)
        return FALSE;
      describe_page (list, text);
      g_free (page);
      page = g_strdup (list->next_page);
    }
  while (page != NULL);
  return TRUE;
}

/**
 * tall_still_describe:
 *
 * Returns: (transfer full): all that can be seen of them, a line each: contents, revisions, what
 *   putting them again answers, and the pages of their list
 */
char *
tall_still_describe (TallFront *front, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 revision;
  g_autoptr (TallCustomer) customer = tall_front_get_customer (front, CUSTOMER, &revision, error);
  if (customer == NULL)
    return NULL;
  g_string_append_printf (text, "customer @%" G_GINT64_FORMAT "\n", revision);
  for (guint i = 0; i < N_ORDERS; i++)
    if (!describe_order (front, i, text, error))
      return NULL;
  if (!describe_listing (front, text, error))
    return NULL;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * tall_still_keep:
 * @file: says what tall_still_describe() does, for other processes; if there is none, they are
 *   stored, and it is written
 *
 * Returns: (transfer full): the same
 */
char *
tall_still_keep (TallFront *front, const char *file, GError **error)
{
  char *text = NULL;
  if (g_file_test (file, G_FILE_TEST_EXISTS))
    return g_file_get_contents (file, &text, NULL, error) ? text : NULL;
  if (!tall_still_put (front, error))
    return NULL;
  text = tall_still_describe (front, error);
  if (text == NULL || g_file_set_contents (file, text, -1, error))
    return text;
  g_free (text);
  return NULL;
}

/* Returns: (transfer full): the first lines that differ */
static char *
find_difference (const char *is, const char *wanted)
{
  g_auto (GStrv) is_lines = g_strsplit (is, "\n", -1);
  g_auto (GStrv) wanted_lines = g_strsplit (wanted, "\n", -1);
  guint i = 0;
  while (is_lines[i] != NULL && g_strcmp0 (is_lines[i], wanted_lines[i]) == 0)
    i++;
  return g_strdup_printf ("“%s”, and was “%s”", is_lines[i] != NULL ? is_lines[i] : "",
                          wanted_lines[i] != NULL ? wanted_lines[i] : "");
}

/**
 * tall_still_check:
 * @wanted: what tall_still_describe() said
 *
 * Returns: FALSE if they are not as they were
 */
gboolean
tall_still_check (TallFront *front, const char *wanted, GError **error)
{
  g_autofree char *is = tall_still_describe (front, error);
  if (is == NULL)
    return FALSE;
  if (g_str_equal (is, wanted))
    return TRUE;
  g_autofree char *difference = find_difference (is, wanted);
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "What nobody has changed is %s", difference);
  return FALSE;
}
