/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
void
f (int a)
{
  if (a)
    {
      if (a)
        {
          if (a)
            {
              if (a)
                {
                  if (a)
                    {
                      g ();
                    }
                }
            }
        }
    }
}
