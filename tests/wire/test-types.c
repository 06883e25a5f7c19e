/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The generated types, used by several threads for the first time at the same moment. Each has one
 * first time a process, so that there are many types and one try. */
#include "hb_gateway.h"

#define N_THREADS 4

typedef GType (*GetType) (void);

static const GetType types[] = {
  hb_t_time_range_get_type,
  hb_t_column_get_type,
  hb_t_column_value_get_type,
  hb_t_column_increment_get_type,
  hb_t_result_get_type,
  hb_t_put_get_type,
  hb_t_delete_get_type,
  hb_t_increment_get_type,
  hb_t_mutation_get_type,
  hb_t_row_mutations_get_type,
  hb_t_get_get_type,
  hb_t_scan_get_type,
  hb_t_table_name_get_type,
  hb_t_column_family_descriptor_get_type,
  hb_t_table_descriptor_get_type,
  hb_t_h_region_info_get_type,
  hb_t_server_name_get_type,
  hb_t_h_region_location_get_type,
  hb_t_i_o_error_get_type,
  hb_gateway_if_get_type,
};

static gint n_arrived;

/* Spins, so that all go on at the same moment. */
static void
meet (gint n)
{
  g_atomic_int_inc (&n_arrived);
  while (g_atomic_int_get (&n_arrived) < n)
    g_thread_yield ();
}

static gpointer
use_types (gpointer data)
{
  GType *found = data;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      meet ((gint)(i + 1) * N_THREADS);
      found[i] = types[i]();
    }
  return NULL;
}

static void
test_together (void)
{
  GThread *threads[N_THREADS];
  GType found[N_THREADS][G_N_ELEMENTS (types)] = { { 0 } };
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("user", use_types, found[i]);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  for (guint k = 0; k < G_N_ELEMENTS (types); k++)
    {
      g_assert_cmpuint (found[0][k], !=, G_TYPE_INVALID);
      for (guint i = 1; i < N_THREADS; i++)
        g_assert_cmpuint (found[i][k], ==, found[0][k]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/types/together", test_together);
  return g_test_run ();
}
