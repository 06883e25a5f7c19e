/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Table files that an embedded store keeps open: at most so many, and at most a quarter of all
 * descriptors. */
#define STORE_MAX 1024
#define STORE_PART 4

/**
 * tall_descriptors_raise:
 *
 * Raises the limit of descriptors as far as this process may: the usual limit of 1024 is meant for
 * programs that use `select`.
 *
 * Returns: how many it may have now
 */
guint
tall_descriptors_raise (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return 0;

  if (limit.rlim_cur != limit.rlim_max)
    {
      struct rlimit wanted = { limit.rlim_max, limit.rlim_max };
      if (setrlimit (RLIMIT_NOFILE, &wanted) == 0)
        limit = wanted;
    }
  return (guint)MIN (limit.rlim_cur, (rlim_t)G_MAXINT);
}

/**
 * tall_descriptors_for_store:
 *
 * Returns: how many table files an embedded store may keep open, after the limit is raised
 */
guint
tall_descriptors_for_store (void)
{
  return MIN (STORE_MAX, tall_descriptors_raise () / STORE_PART);
}

/**
 * tall_descriptors_for_clients:
 *
 * Returns: how many connections of clients fit beside a store, after the limit is raised; 0: none
 */
guint
tall_descriptors_for_clients (void)
{
  guint all = tall_descriptors_raise ();
  guint others = tall_descriptors_for_store () + TALL_DESCRIPTORS_RESERVE;
  return all > others ? all - others : 0;
}

#define CHUNK_SIZE 65536

/**
 * tall_file_read:
 * @max: bytes that it may have at most
 * @len: (out) (nullable): bytes, without the NUL that follows them
 *
 * Reads a whole file that a user named.
 *
 * Returns: (transfer full): its content; NULL with %TALL_ERROR_UNAVAILABLE, which names it, if it
 *   cannot be read, or with %TALL_ERROR_TOO_LARGE
 */
char *
tall_file_read (const char *path, gsize max, gsize *len, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char chunk[CHUNK_SIZE];
  ssize_t n = 0;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  while (fd >= 0 && text->len <= max
         && ((n = read (fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)))
    g_string_append_len (text, chunk, MAX (n, 0));
  int code = errno;
  if (fd >= 0)
    close (fd);
  if (fd < 0 || n < 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s cannot be %s: %s", path,
                   fd < 0 ? "opened" : "read", g_strerror (code));
      return NULL;
    }
  if (text->len > max)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "%s is larger than %" G_GSIZE_FORMAT " bytes: is it the right file?", path, max);
      return NULL;
    }
  if (len != NULL)
    *len = text->len;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * tall_file_check_regular:
 * @what: it is, in words, such as `Key`
 *
 * Before what is read while others wait: reading a pipe may last for ever.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is a folder, a pipe or a device; TRUE also if there
 *   is nothing
 */
gboolean
tall_file_check_regular (const char *path, const char *what, GError **error)
{
  struct stat status;
  if (stat (path, &status) != 0 || S_ISREG (status.st_mode))
    return TRUE;
  return tall_error_fail_invalid (error, "file", "%s %s is not a file", what, path);
}

/**
 * tall_file_check_owner:
 * @path: a file or folder
 * @what: it is, in words
 *
 * What root writes among the files of a service, that service could not read.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if root is running this, and it belongs to another
 *   user; TRUE also if there is no such file
 */
gboolean
tall_file_check_owner (const char *path, const char *what, GError **error)
{
  struct stat status;
  struct passwd entry, *user = NULL;
  char names[4096];
  if (geteuid () != 0 || stat (path, &status) != 0 || status.st_uid == 0)
    return TRUE;
  getpwuid_r (status.st_uid, &entry, names, sizeof names, &user);
  g_autofree char *who = user != NULL
                             ? g_strdup_printf ("`runuser -u %s -- tallorder …`", user->pw_name)
                             : g_strdup_printf ("user id %lu", (gulong)status.st_uid);
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, path,
                                   "The %s belongs to another user, who could not read what root "
                                   "writes there: run as that one, %s",
                                   what, who);
}
