/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Linked into the program, and used by RocksDB: a disk that stands still from some moment on.
 *
 *     TALL_HANG_WHEN=FILE
 *
 * As soon as FILE is there, fdatasync() does not come back. The first one that hangs removes the
 * file: so a test sees that it does. exit() would take apart what such a call still uses, and it
 * depends on the moment whether that ends the process by a signal; here it always does. */

#include <glib.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static gint hangs; /* atomic */

__attribute__ ((destructor)) static void
at_exit (void)
{
  if (g_atomic_int_get (&hangs) != 0)
    abort ();
}

__attribute__ ((visibility ("default"))) int
fdatasync (int file)
{
  const char *when = g_getenv ("TALL_HANG_WHEN");
  if (when != NULL && (g_atomic_int_get (&hangs) != 0 || access (when, F_OK) == 0))
    {
      g_atomic_int_set (&hangs, 1);
      unlink (when);
      for (;;)
        pause ();
    }
  return (int)syscall (SYS_fdatasync, file);
}
