/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"

#include <string.h>

#define MAX_LENGTH 32

/* How many letters have to be changed, added, taken away, or swapped with the next one (the optimal
 * string alignment distance). */
static guint
count_mistakes (const char *a, const char *b)
{
  guint distance[MAX_LENGTH + 1][MAX_LENGTH + 1];
  gsize n = strlen (a), m = strlen (b);

  for (guint i = 0; i <= n; i++)
    for (guint j = 0; j <= m; j++)
      {
        guint *here = &distance[i][j];
        *here = MAX (i, j);
        if (i == 0 || j == 0)
          continue;
        guint changed = distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
        *here = MIN (changed, 1 + MIN (distance[i - 1][j], distance[i][j - 1]));
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          *here = MIN (*here, distance[i - 2][j - 2] + 1);
      }
  return distance[n][m];
}

/**
 * tall_suggest:
 * @word: what somebody typed
 * @choices: NULL-terminated
 *
 * Returns: (nullable) (transfer none): the choice that was probably meant: the nearest one, if no
 *   more than a third of its letters is wrong, or it begins with @word
 */
const char *
tall_suggest (const char *word, const char *const *choices)
{
  const char *best = NULL;
  guint fewest = G_MAXUINT;

  if (*word == '\0' || strlen (word) > MAX_LENGTH)
    return NULL;
  for (guint i = 0; choices[i] != NULL; i++)
    {
      gsize len = strlen (choices[i]);
      if (len > MAX_LENGTH)
        continue;
      gboolean is_start = strlen (word) >= 3 && g_str_has_prefix (choices[i], word);
      guint mistakes = is_start ? 0 : count_mistakes (word, choices[i]);
      if (mistakes > MAX (len / 3, 1) || mistakes >= fewest || mistakes >= len)
        continue;
      best = choices[i];
      fewest = mistakes;
    }
  return best;
}
