/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/shortage.h"

#include "cli/command.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Terminate) (void);

/* What the ABI of C++ says of every type. */
typedef struct
{
  const void *functions;
  const char *name;
} TypeInfo;

static Terminate terminate_otherwise;
static const TypeInfo *(*find_exception) (void);

/* Nothing here may need memory. Several threads may come at once: the first one says it, and ends
 * them all. */
static void
end (void)
{
  static gint has_begun;
  static const char text[] =
      "tallorder: Too little memory, or too few threads allowed, so it ended before it was done; "
      "look at ulimit -v, ulimit -u, and the limits of the container or service\n";
  while (!g_atomic_int_compare_and_exchange (&has_begun, 0, 1))
    pause ();
  gssize written G_GNUC_UNUSED = write (STDERR_FILENO, text, sizeof text - 1);
  _exit (TALL_EXIT_FAILED);
}

/* In place of the C library's. GSlice of GLib takes its memory from here. Where it gets none it
 * prints words of its own and aborts, long before main() in some cases; so it never hears of that.
 */
__attribute__ ((visibility ("default"))) int
posix_memalign (void **memory, size_t alignment, size_t len)
{
  void *got = memalign (alignment, len);
  if (got == NULL)
    end ();
  *memory = got;
  return 0;
}

/* RocksDB throws an exception where it gets no memory or no thread, and nobody catches it. */
static void
on_terminate (void)
{
  const TypeInfo *type = find_exception ();
  static const char *const shortages[] = { "St9bad_alloc", "St20bad_array_new_length",
                                           "St12system_error" };
  for (guint i = 0; type != NULL && i < G_N_ELEMENTS (shortages); i++)
    if (strcmp (type->name, shortages[i]) == 0)
      end ();
  terminate_otherwise ();
}

/**
 * tall_shortage_prepare:
 *
 * From here on the process ends with a plain message and %TALL_EXIT_FAILED if RocksDB gets no
 * memory or no thread. Its C functions report neither: they end the process. What was committed is
 * stored, as after a kill.
 */
void
tall_shortage_prepare (void)
{
  /* The names of std::set_terminate() and of its companion in the ABI of C++. */
  Terminate (*set_terminate) (Terminate) = dlsym (RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
  find_exception = dlsym (RTLD_DEFAULT, "__cxa_current_exception_type");
  if (set_terminate != NULL && find_exception != NULL)
    terminate_otherwise = set_terminate (on_terminate);
}

/**
 * tall_shortage_check:
 *
 * Does the same for a message with which GLib is about to end the process, or one of our own files
 * in the same words.
 */
void
tall_shortage_check (GLogLevelFlags level, const char *message)
{
  if ((level & G_LOG_LEVEL_ERROR) != 0 && message != NULL
      && (strstr (message, "failed to allocate") != NULL
          || strstr (message, "creating thread") != NULL))
    end ();
}
