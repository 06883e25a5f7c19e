/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/setting.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "model/json-build.h"

/* For people and for programs. */
static const char *const names[] = { "date",       "command", "processor",
                                     "processors", "memory",  "kernel" };
G_STATIC_ASSERT (G_N_ELEMENTS (names) == TALL_BENCH_N_FACTS);

const char *
tall_bench_setting_get_name (guint fact)
{
  return names[fact];
}

/* The value of a line such as `model name : …` of a file of the kernel; NULL: there is none. */
static char *
read_line (const char *path, const char *name)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *colon = strchr (lines[i], ':');
      if (colon != NULL && g_str_has_prefix (lines[i], name))
        return g_strstrip (g_strdup (colon + 1));
    }
  return NULL;
}

/**
 * tall_bench_setting_read:
 * @self: (out caller-allocates): to be cleared
 * @command: that measures
 *
 * Looks at this machine.
 */
void
tall_bench_setting_read (TallBenchSetting *self, const char *command)
{
  struct utsname machine;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  *self = (TallBenchSetting){ {
      g_date_time_format (now, "%Y-%m-%d %H:%M UTC"),
      g_strdup (command),
      read_line ("/proc/cpuinfo", "model name"),
      g_strdup_printf ("%ld", sysconf (_SC_NPROCESSORS_ONLN)),
      read_line ("/proc/meminfo", "MemTotal"),
      uname (&machine) == 0 ? g_strdup_printf ("%s %s", machine.sysname, machine.release) : NULL,
  } };
}

/**
 * tall_bench_setting_add:
 *
 * Adds a member `setting` with what is known.
 */
void
tall_bench_setting_add (const TallBenchSetting *self, JsonBuilder *builder)
{
  tall_json_begin_object (builder, "setting");
  for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
    tall_json_add_text (builder, names[i], self->facts[i]);
  json_builder_end_object (builder);
}

void
tall_bench_setting_clear (TallBenchSetting *self)
{
  for (guint i = 0; i < TALL_BENCH_N_FACTS; i++)
    g_clear_pointer (&self->facts[i], g_free);
}
