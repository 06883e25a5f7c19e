/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/generation.h"

#include "store/record/tables.h"

struct _TallGenerationTable
{
  TallForwardingTable parent_instance;

  guint64 generation;
  char *suffix; /* of the names of all tables but `meta`: `-2` */
};

G_DEFINE_FINAL_TYPE (TallGenerationTable, tall_generation_table, TALL_TYPE_FORWARDING_TABLE)

#define PARENT TALL_TABLE_CLASS (tall_generation_table_parent_class)

/* The name that a table has in this generation, in @arena. */
static const char *
rename_table (TallTable *base, const char *name, TallArena *arena)
{
  if (g_str_equal (name, TALL_META_TABLE))
    return name;
  return tall_arena_printf (arena, "%s%s", name, TALL_GENERATION_TABLE (base)->suffix);
}

/* The same for a single name. */
static char *
dup_renamed (TallTable *base, const char *name)
{
  gboolean is_meta = g_str_equal (name, TALL_META_TABLE);
  return g_strconcat (name, is_meta ? NULL : TALL_GENERATION_TABLE (base)->suffix, NULL);
}

/* Keys and qualifiers stay where they are. */
static TallReadResult *
tall_generation_table_read (TallTable *base,
                            const TallReadPlan *plan,
                            gint64 deadline,
                            GError **error)
{
  g_autoptr (TallReadPlan) renamed = tall_read_plan_new ();
  for (guint i = 0; i < plan->reads->len; i++)
    {
      TallRead *read = tall_arena_new0 (renamed->arena, TallRead);
      *read = *tall_read_plan_get (plan, i);
      read->table = rename_table (base, read->table, renamed->arena);
      g_ptr_array_add (renamed->reads, read);
    }
  return PARENT->read (base, renamed, deadline, error);
}

/* The mutations as those of this generation, in @arena. */
static TallMutation **
rename_mutations (TallTable *base, TallMutation *const *mutations, guint n, TallArena *arena)
{
  TallMutation **renamed = tall_arena_newa0 (arena, TallMutation *, n);
  const char *given = NULL;
  const char *name = NULL;
  for (guint i = 0; i < n; i++)
    {
      renamed[i] = tall_arena_memdup (arena, mutations[i], sizeof (TallMutation));
      if (given == NULL || !g_str_equal (given, mutations[i]->table))
        {
          given = mutations[i]->table;
          name = rename_table (base, given, arena);
        }
      renamed[i]->table = name;
    }
  return renamed;
}

static gboolean
tall_generation_table_apply (TallTable *base,
                             TallMutation *const *mutations,
                             guint n,
                             TallDurability durability,
                             gint64 deadline,
                             TallDone *done,
                             GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (1024);
  TallMutation **renamed = rename_mutations (base, mutations, n, arena);
  return PARENT->apply (base, renamed, n, durability, deadline, done, error);
}

static gboolean
tall_generation_table_apply_if (TallTable *base,
                                const TallConditionalWrite *write,
                                gboolean *matched,
                                GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (1024);
  TallConditionalWrite renamed = *write;
  renamed.mutations = rename_mutations (base, write->mutations, write->n, arena);
  return PARENT->apply_if (base, &renamed, matched, error);
}

static gboolean
tall_generation_table_increment (TallTable *base,
                                 const char *table,
                                 TallSlice row,
                                 TallSlice qualifier,
                                 gint64 delta,
                                 gint64 deadline,
                                 gint64 *value,
                                 GError **error)
{
  g_autofree char *name = dup_renamed (base, table);
  return PARENT->increment (base, name, row, qualifier, delta, deadline, value, error);
}

static gboolean
tall_generation_table_create_table (TallTable *base,
                                    const TallTableSpec *spec,
                                    gint64 deadline,
                                    GError **error)
{
  g_autofree char *name = dup_renamed (base, spec->name);
  TallTableSpec renamed = *spec;
  renamed.name = name;
  return PARENT->create_table (base, &renamed, deadline, error);
}

static gboolean
tall_generation_table_drop_table (TallTable *base,
                                  const char *table,
                                  gint64 deadline,
                                  GError **error)
{
  g_autofree char *name = dup_renamed (base, table);
  return PARENT->drop_table (base, name, deadline, error);
}

static gboolean
tall_generation_table_set_access (TallTable *base,
                                  const char *table,
                                  TallTableAccess access,
                                  const char *seal,
                                  gint64 deadline,
                                  GError **error)
{
  g_autofree char *name = dup_renamed (base, table);
  return PARENT->set_access (base, name, access, seal, deadline, error);
}

/* The description names the table as the caller does. */
static TallTableSpec *
tall_generation_table_describe_table (TallTable *base,
                                      const char *table,
                                      gint64 deadline,
                                      GError **error)
{
  g_autofree char *name = dup_renamed (base, table);
  TallTableSpec *spec = PARENT->describe_table (base, name, deadline, error);
  if (spec == NULL)
    return NULL;
  g_free (spec->name);
  spec->name = g_strdup (table);
  return spec;
}

/* The tables of this generation, and `meta`. */
static GStrv
tall_generation_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  g_auto (GStrv) all = PARENT->list_tables (base, deadline, error);
  if (all == NULL)
    return NULL;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      guint64 generation = tall_generation_split_name (all[i], &name);
      if (generation == TALL_GENERATION_TABLE (base)->generation
          || g_str_equal (all[i], TALL_META_TABLE))
        g_strv_builder_add (names, name);
    }
  return g_strv_builder_end (names);
}

static GStrv
tall_generation_table_list_deployments (TallTable *base,
                                        const char *table,
                                        gint64 deadline,
                                        GError **error)
{
  g_autofree char *name = dup_renamed (base, table);
  return PARENT->list_deployments (base, name, deadline, error);
}

static void
tall_generation_table_init (TallGenerationTable *self G_GNUC_UNUSED)
{
}

static void
tall_generation_table_finalize (GObject *object)
{
  g_free (TALL_GENERATION_TABLE (object)->suffix);
  G_OBJECT_CLASS (tall_generation_table_parent_class)->finalize (object);
}

static void
tall_generation_table_class_init (TallGenerationTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_generation_table_read;
  table->apply = tall_generation_table_apply;
  table->apply_if = tall_generation_table_apply_if;
  table->increment = tall_generation_table_increment;
  table->create_table = tall_generation_table_create_table;
  table->set_access = tall_generation_table_set_access;
  table->drop_table = tall_generation_table_drop_table;
  table->describe_table = tall_generation_table_describe_table;
  table->list_tables = tall_generation_table_list_tables;
  table->list_deployments = tall_generation_table_list_deployments;
  G_OBJECT_CLASS (klass)->finalize = tall_generation_table_finalize;
}

/**
 * tall_generation_table_new:
 * @table: (transfer none): holds the tables of all generations
 * @generation: at least 1
 *
 * Shows the tables of one generation under their short names: `orders` is `orders-2` in the second
 * one. The table `meta` is the same in all. Nothing but names is changed, and neither keys nor
 * values are copied.
 *
 * Returns: (transfer full): a table that keeps a reference to @table; of the first generation
 * @table itself
 */
TallTable *
tall_generation_table_new (TallTable *table, guint64 generation)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);
  g_return_val_if_fail (generation >= TALL_FIRST_GENERATION, NULL);

  if (generation == TALL_FIRST_GENERATION)
    return g_object_ref (table);
  TallGenerationTable *self = g_object_new (TALL_TYPE_GENERATION_TABLE, NULL);
  self->generation = generation;
  self->suffix = g_strdup_printf ("-%" G_GUINT64_FORMAT, generation);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  return TALL_TABLE (self);
}

/**
 * tall_generation_split_name:
 * @name: of a table, as the store lists it
 * @short_name: (out) (transfer full): its name without the generation
 *
 * Returns: the generation: 1 if the name does not end like that of a later one
 */
guint64
tall_generation_split_name (const char *name, char **short_name)
{
  const char *dash = strrchr (name, '-');
  guint64 generation;
  if (dash != NULL && dash > name && g_ascii_isdigit (dash[1]) && dash[1] != '0'
      && g_ascii_string_to_unsigned (dash + 1, 10, TALL_FIRST_GENERATION + 1, G_MAXUINT64,
                                     &generation, NULL))
    {
      *short_name = g_strndup (name, (gsize)(dash - name));
      return generation;
    }
  *short_name = g_strdup (name);
  return TALL_FIRST_GENERATION;
}
