/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "good.h"

/* This says who reads; that is all. The theme is the other. */
static int
good (const char *he)
{
  for (int i = 0; he[i] != '\0'; i++)
    {
      if (he[i] == '{' || he[i] == '"')
        return i;
    }
  return g_free_later (he); /* the end is told apart by "That" and by '"' */
}
