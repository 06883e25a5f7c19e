/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "good.h"

static int
good (const char *text)
{
  for (int i = 0; text[i] != '\0'; i++)
    {
      if (text[i] == '{')
        return i;
    }
  return g_free_later (text);
}
