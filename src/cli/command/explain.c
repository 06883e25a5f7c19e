/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/explain-output.h"
#include "cli/json-file.h"
#include "cli/options.h"
#include "cli/output.h"

typedef struct
{
  char *layout;
  char *key;
  gboolean all;
  gboolean json;
} ExplainOptions;

/* What is explained. */
typedef struct
{
  TallOrder *order; /* owned */
  TallStore *store; /* owned; NULL: the order comes from a file */
} Subject;

static void
subject_clear (Subject *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_object (&self->store);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Subject, subject_clear)

static TallExit
fetch_subject (Subject *self, const TallOptions *options)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  const char *customer = options->arguments[0];
  const char *number = options->arguments[1];
  if (!tall_validate_number (customer, "customer_number", &error)
      || !tall_validate_number (number, "order_number", &error))
    return tall_call_error (&tall_command_explain, error);
  self->store = tall_options_open_store (options, &tall_command_explain, &code);
  if (self->store == NULL)
    return code;
  self->order = tall_front_get_order (TALL_FRONT (self->store), customer, number, NULL, &error);
  return self->order != NULL ? TALL_EXIT_DONE : tall_fail (error);
}

static TallExit
read_subject (Subject *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallJsonItem) item = { 0 };
  g_autoptr (TallJsonFile) file = tall_json_file_open (path, TALL_JSON_ORDERS, &error);
  if (file != NULL && tall_json_file_next (file, &item, &error) == TALL_JSON_ITEM)
    {
      self->order = g_steal_pointer (&item.order);
      error = g_steal_pointer (&item.error);
    }
  if (self->order != NULL)
    return TALL_EXIT_DONE;
  if (file == NULL)
    g_prefix_error (&error, "With one argument explain reads a file, and ");
  if (error != NULL)
    tall_print_failure (error);
  else
    tall_print_error (item.customer != NULL ? "%s holds a customer; explain takes an order"
                                            : "%s holds no order",
                      path);
  return TALL_EXIT_FAILED;
}

static gboolean
add_trial (GPtrArray *explanations,
           const TallLayout *layout,
           const TallKeyStrategy *key_strategy,
           TallOrder *order,
           GError **error)
{
  TallExplanation *explanation = tall_explain_trial (layout, key_strategy, order, error);
  if (explanation == NULL)
    return FALSE;
  g_ptr_array_add (explanations, explanation);
  return TRUE;
}

static gboolean
explain_all (GPtrArray *explanations, TallOrder *order, GError **error)
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  for (guint i = 0; i < n_layouts; i++)
    for (guint k = 0; k < n_strategies; k++)
      if (!add_trial (explanations, layouts[i], strategies[k], order, error))
        return FALSE;
  return TRUE;
}

static gboolean
explain_one (GPtrArray *explanations,
             const Subject *subject,
             const TallLayout *layout,
             const TallKeyStrategy *key_strategy,
             GError **error)
{
  if (subject->store != NULL && layout == NULL && key_strategy == NULL)
    {
      TallExplanation *stored = tall_explain_stored (subject->store, subject->order, error);
      if (stored != NULL)
        g_ptr_array_add (explanations, stored);
      return stored != NULL;
    }
  if (layout == NULL)
    layout = subject->store != NULL ? tall_store_get_layout (subject->store)
                                    : tall_layout_choose (NULL, NULL);
  if (key_strategy == NULL)
    key_strategy = subject->store != NULL ? tall_store_get_key_strategy (subject->store)
                                          : tall_key_strategy_choose (NULL, NULL);
  return add_trial (explanations, layout, key_strategy, subject->order, error);
}

static void
print (GPtrArray *explanations, const Subject *subject, const ExplainOptions *own)
{
  if (own->json)
    tall_explanations_print_json (explanations, subject->order);
  else if (!own->all)
    tall_explanation_print (g_ptr_array_index (explanations, 0), subject->order);
  else if (subject->store == NULL)
    tall_explanations_print (explanations, NULL, NULL);
  else
    tall_explanations_print (explanations, tall_store_get_layout (subject->store)->name,
                             tall_store_get_key_strategy (subject->store)->name);
}

static TallExit
explain (const TallOptions *options,
         const ExplainOptions *own,
         const TallLayout *layout,
         const TallKeyStrategy *key_strategy)
{
  g_auto (Subject) subject = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  TallExit code = options->n_arguments == 2 ? fetch_subject (&subject, options)
                                            : read_subject (&subject, options->arguments[0]);
  if (code != TALL_EXIT_DONE)
    return code;

  g_autoptr (GPtrArray) explanations =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_explanation_free);
  if (own->all ? !explain_all (explanations, subject.order, &error)
               : !explain_one (explanations, &subject, layout, key_strategy, &error))
    return tall_fail (error);
  print (explanations, &subject, own);
  return TALL_EXIT_DONE;
}

static TallExit
check_and_explain (const TallOptions *options, const ExplainOptions *own)
{
  g_autoptr (GError) error = NULL;
  const TallLayout *layout = NULL;
  const TallKeyStrategy *key_strategy = NULL;
  if (options->n_arguments < 1 || options->n_arguments > 2)
    return tall_usage_error (&tall_command_explain,
                             "explain takes CUSTOMER ORDER of a stored order, or the FILE of one "
                             "in JSON");
  if (own->all && (own->layout != NULL || own->key != NULL))
    return tall_usage_error (&tall_command_explain, "Give --all, or --layout and --key, not both");
  if (own->layout != NULL)
    layout = tall_layout_find (own->layout, &error);
  if (own->key != NULL && error == NULL)
    key_strategy = tall_key_strategy_find (own->key, &error);
  if (error != NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  return explain (options, own, layout, key_strategy);
}

static TallExit
run (int argc, char **argv)
{
  ExplainOptions own = { NULL, NULL, FALSE, FALSE };
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_FILENAME, &own.layout, "as it would be in this layout",
      "LAYOUT" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &own.key, "as it would be with this key strategy",
      "STRATEGY" },
    { "all", 0, 0, G_OPTION_ARG_NONE, &own.all, "all layouts and key strategies side by side",
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "as JSON, with whole values", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallExit code;
  if (tall_options_parse (&options, &tall_command_explain, entries, argc, argv, &error))
    code = check_and_explain (&options, &own);
  else
    code = tall_call_error (&tall_command_explain, error);
  g_free (own.layout);
  g_free (own.key);
  return code;
}

const TallCommand tall_command_explain = {
  .name = "explain",
  .arguments = "CUSTOMER ORDER|FILE",
  .summary = "Shows the physical rows of an order, and what a get and a put of it cost.",
  .help = "CUSTOMER ORDER is read where it is stored; FILE is JSON and needs no store. With\n"
          "--layout, --key or --all the order is tried out in memory.\n\n"
          "Example:\n"
          "  tallorder explain --store rocksdb:shop VINET 10248\n"
          "  tallorder explain --all order.json",
  .run = run,
};
