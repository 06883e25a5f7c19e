/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/phase.h"

#include <string.h>

#include "tall-error.h"

static const TallBenchPhase *
find_part (const char *name, gsize len)
{
  guint n;
  const TallBenchPhase *parts = tall_bench_parts (&n);
  for (guint i = 0; i < n; i++)
    if (strlen (parts[i].name) == len && strncmp (parts[i].name, name, len) == 0)
      return &parts[i];
  return NULL;
}

static gboolean
add_part (TallBenchMix *self, const char *text)
{
  const char *sign = strchr (text, '=');
  const TallBenchPhase *part = sign != NULL ? find_part (text, (gsize)(sign - text)) : NULL;
  guint64 weight;
  if (part == NULL || !g_ascii_string_to_unsigned (sign + 1, 10, 1, 100, &weight, NULL))
    return FALSE;
  for (guint i = 0; i < self->n_parts; i++)
    if (self->parts[i] == part)
      return FALSE;
  self->parts[self->n_parts] = part;
  self->weights[self->n_parts++] = (guint)weight;
  self->total += (guint)weight;
  return TRUE;
}

/**
 * tall_bench_mix_parse:
 * @self: zero before
 * @text: such as `get=90,store=10`
 */
gboolean
tall_bench_mix_parse (TallBenchMix *self, const char *text, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (text, ",", -1);
  gboolean right = texts[0] != NULL;
  for (guint i = 0; right && texts[i] != NULL; i++)
    right = add_part (self, texts[i]);
  if (right)
    return TRUE;
  guint n;
  const TallBenchPhase *parts = tall_bench_parts (&n);
  g_autoptr (GString) names = g_string_new (parts[0].name);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (names, ", %s", parts[i].name);
  tall_error_set_invalid (error, "mix",
                          "--mix %s: write parts and how often each of them, from 1 to 100, once "
                          "each, such as get=90,store=10; there are %s",
                          text, names->str);
  return FALSE;
}
