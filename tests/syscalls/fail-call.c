/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A library for LD_PRELOAD: counts the system calls that change one folder and files below it,
 * writes each to a trace, and has one of them go wrong.
 *
 *     TALL_CALLS_BELOW=FOLDER       absolute, without links
 *     TALL_CALLS_TRACE=FILE         gets a line for each call: its name, and the path
 *     TALL_CALLS_FAIL="N HOW"       what happens to the N-th call, from 1
 *
 * HOW is one of these:
 *
 *     once NUMBER     it fails with this errno
 *     from NUMBER     the same, and so do all later ones. A full disk lets those pass that need no
 *                     room
 *     short           a write takes half of its bytes, and says so
 *     torn NUMBER     a write takes half of its bytes, and says so; all later calls fail
 *     kill            the process is killed before it
 *     torn-kill       the process is killed when half of the bytes are written
 *
 * It calls the kernel itself, so it works in every thread and at every moment.
 *
 *     TALL_CALLS_INTERRUPTED=1      every other read and write below the folder is interrupted by a
 * signal TALL_CALLS_NO_PAGES=N         the N-th request for aligned memory, from 1, gets none
 *     TALL_CALLS_NO_MAPS=1          none gets memory from mmap() */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

typedef enum
{
  PASS,
  ONCE,
  FROM,
  SHORT,
  TORN,
  KILL,
  TORN_KILL,
} How;

static const char *const hows[] = { "", "once", "from", "short", "torn", "kill", "torn-kill" };

static const char *below; /* NULL: nothing is counted */
static size_t below_len;
static int trace = -1;
static How how;
static long chosen; /* number of the call that goes wrong */
static int code;    /* errno of what fails */
static long count;  /* atomic */

/* The rest of the plan after the number of the call. */
static void
read_how (const char *text)
{
  for (How i = ONCE; i <= TORN_KILL; i++)
    {
      size_t len = strlen (hows[i]);
      if (strncmp (text, hows[i], len) == 0 && (text[len] == '\0' || text[len] == ' '))
        {
          how = i;
          code = (int)strtol (text + len, NULL, 10);
          return;
        }
    }
  abort ();
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *plan = getenv ("TALL_CALLS_FAIL");
  const char *path = getenv ("TALL_CALLS_TRACE");
  below = getenv ("TALL_CALLS_BELOW");
  below_len = below == NULL ? 0 : strlen (below);
  if (path != NULL)
    trace =
        (int)syscall (SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (plan == NULL)
    return;
  char *rest;
  chosen = strtol (plan, &rest, 10);
  if (chosen < 1 || *rest != ' ')
    abort ();
  read_how (rest + 1);
}

static void
note (const char *name, const char *path, long number)
{
  char line[PATH_MAX + 64];
  int len = snprintf (line, sizeof line, "%ld %s %s\n", number, name, path);
  if (trace >= 0)
    (void)!syscall (SYS_write, trace, line, (size_t)len);
}

/* A full disk still removes files. */
static int
needs_room (const char *name)
{
  return strcmp (name, "unlink") != 0 && strcmp (name, "rmdir") != 0;
}

#define OPEN_FILES "/proc/self/fd/"

/* A path that begins at an open folder, as one that begins at the root: in @whole, if it is one. */
static const char *
resolve (const char *path, char whole[PATH_MAX])
{
  if (strncmp (path, OPEN_FILES, strlen (OPEN_FILES)) != 0)
    return path;
  char link[64];
  int before = errno;
  size_t len = strlen (OPEN_FILES) + strspn (path + strlen (OPEN_FILES), "0123456789");
  snprintf (link, sizeof link, "%.*s", (int)len, path);
  ssize_t led = syscall (SYS_readlinkat, AT_FDCWD, link, whole, (size_t)PATH_MAX - 1);
  errno = before;
  if (led < 0)
    return path;
  snprintf (whole + led, (size_t)(PATH_MAX - led), "%s", path + len);
  return whole;
}

/* What happens to a call of @name on a path. @is_write: half of it can be done */
static How
meet (const char *name, const char *given, int is_write)
{
  char whole[PATH_MAX];
  const char *path = below == NULL ? given : resolve (given, whole);
  if (below == NULL || strncmp (path, below, below_len) != 0
      || (path[below_len] != '/' && path[below_len] != '\0'))
    return PASS;
  long number = __atomic_add_fetch (&count, 1, __ATOMIC_SEQ_CST);
  note (name, path, number);
  if (how == PASS || number < chosen)
    return PASS;
  if (number > chosen)
    return (how == FROM || how == TORN) && (code != ENOSPC || needs_room (name)) ? ONCE : PASS;
  if (how == KILL)
    (void)kill (getpid (), SIGKILL);
  if (how == SHORT || how == TORN || how == TORN_KILL)
    return is_write ? how : PASS;
  return ONCE;
}

static How
meet_file (const char *name, int file, int is_write)
{
  char link[64];
  snprintf (link, sizeof link, OPEN_FILES "%d", file);
  return meet (name, link, is_write);
}

/* A path that begins at the working directory belongs to no store of these tests. */
static int
fails (const char *name, const char *path)
{
  if (meet (name, path, 0) == PASS)
    return 0;
  errno = code;
  return 1;
}

static int
file_fails (const char *name, int file)
{
  if (meet_file (name, file, 0) == PASS)
    return 0;
  errno = code;
  return 1;
}

static int
open_at (int folder, const char *path, int flags, mode_t mode)
{
  if ((flags & O_CREAT) != 0 && fails ("open", path))
    return -1;
  return (int)syscall (SYS_openat, folder, path, flags, mode);
}

#define TAKE_MODE(mode, flags)                                                                     \
  mode_t mode = 0;                                                                                 \
  if (((flags)&O_CREAT) != 0)                                                                      \
    {                                                                                              \
      va_list rest;                                                                                \
      va_start (rest, flags);                                                                      \
      mode = va_arg (rest, mode_t);                                                                \
      va_end (rest);                                                                               \
    }

EXPORT int
open (const char *path, int flags, ...)
{
  TAKE_MODE (mode, flags)
  return open_at (AT_FDCWD, path, flags, mode);
}

EXPORT int
open64 (const char *path, int flags, ...)
{
  TAKE_MODE (mode, flags)
  return open_at (AT_FDCWD, path, flags, mode);
}

EXPORT int
openat (int folder, const char *path, int flags, ...)
{
  TAKE_MODE (mode, flags)
  return open_at (folder, path, flags, mode);
}

EXPORT int
openat64 (int folder, const char *path, int flags, ...)
{
  TAKE_MODE (mode, flags)
  return open_at (folder, path, flags, mode);
}

/* How many of @len bytes are written; -1: none, and it fails. Whoever is killed in the middle calls
 * end_torn() after the write. */
static ssize_t
cut (How what, size_t len)
{
  if (what == ONCE)
    {
      errno = code;
      return -1;
    }
  return (ssize_t)(what == PASS ? len : len / 2);
}

static ssize_t
end_torn (How what, ssize_t written)
{
  if (what == TORN_KILL)
    (void)kill (getpid (), SIGKILL);
  return written;
}

/* Whether a signal comes before the call has done anything. Then it is made again. */
static int
is_interrupted (int file)
{
  static long n; /* atomic */
  char link[64];
  char whole[PATH_MAX];
  if (below == NULL || getenv ("TALL_CALLS_INTERRUPTED") == NULL)
    return 0;
  snprintf (link, sizeof link, OPEN_FILES "%d", file);
  if (strncmp (resolve (link, whole), below, below_len) != 0
      || __atomic_add_fetch (&n, 1, __ATOMIC_SEQ_CST) % 2 == 0)
    return 0;
  errno = EINTR;
  return 1;
}

EXPORT ssize_t
read (int file, void *data, size_t len)
{
  return is_interrupted (file) ? -1 : syscall (SYS_read, file, data, len);
}

EXPORT ssize_t
write (int file, const void *data, size_t len)
{
  if (is_interrupted (file))
    return -1;
  How what = meet_file ("write", file, 1);
  ssize_t part = cut (what, len);
  return part < 0 ? -1 : end_torn (what, syscall (SYS_write, file, data, (size_t)part));
}

EXPORT ssize_t
writev (int file, const struct iovec *parts, int n)
{
  return file_fails ("writev", file) ? -1 : syscall (SYS_writev, file, parts, n);
}

EXPORT ssize_t
pwrite64 (int file, const void *data, size_t len, off64_t at)
{
  How what = meet_file ("pwrite", file, 1);
  ssize_t part = cut (what, len);
  return part < 0 ? -1 : end_torn (what, syscall (SYS_pwrite64, file, data, (size_t)part, at));
}

EXPORT ssize_t
pwrite (int file, const void *data, size_t len, off_t at)
{
  return pwrite64 (file, data, len, at);
}

EXPORT int
fsync (int file)
{
  return file_fails ("fsync", file) ? -1 : (int)syscall (SYS_fsync, file);
}

EXPORT int
fdatasync (int file)
{
  return file_fails ("fdatasync", file) ? -1 : (int)syscall (SYS_fdatasync, file);
}

/* Without flags it only asks whether there is such a call. */
EXPORT int
sync_file_range (int file, off64_t at, off64_t len, unsigned int flags)
{
  return flags != 0 && file_fails ("sync_file_range", file)
             ? -1
             : (int)syscall (SYS_sync_file_range, file, at, len, flags);
}

EXPORT int
fallocate64 (int file, int mode, off64_t at, off64_t len)
{
  return file_fails ("fallocate", file) ? -1 : (int)syscall (SYS_fallocate, file, mode, at, len);
}

EXPORT int
fallocate (int file, int mode, off_t at, off_t len)
{
  return fallocate64 (file, mode, at, len);
}

EXPORT int
ftruncate64 (int file, off64_t len)
{
  return file_fails ("ftruncate", file) ? -1 : (int)syscall (SYS_ftruncate, file, len);
}

EXPORT int
ftruncate (int file, off_t len)
{
  return ftruncate64 (file, len);
}

EXPORT int
truncate64 (const char *path, off64_t len)
{
  return fails ("truncate", path) ? -1 : (int)syscall (SYS_truncate, path, len);
}

EXPORT int
truncate (const char *path, off_t len)
{
  return truncate64 (path, len);
}

EXPORT int
rename (const char *from, const char *to)
{
  return fails ("rename", to) ? -1 : (int)syscall (SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int
link (const char *from, const char *to)
{
  return fails ("link", to) ? -1 : (int)syscall (SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* RocksDB makes its folder again and again: that changes nothing. */
EXPORT int
mkdir (const char *path, mode_t mode)
{
  int failed = access (path, F_OK) != 0 && fails ("mkdir", path);
  return failed ? -1 : (int)syscall (SYS_mkdirat, AT_FDCWD, path, mode);
}

EXPORT int
rmdir (const char *path)
{
  return fails ("rmdir", path) ? -1 : (int)syscall (SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

EXPORT int
unlink (const char *path)
{
  return fails ("unlink", path) ? -1 : (int)syscall (SYS_unlinkat, AT_FDCWD, path, 0);
}

EXPORT int
unlinkat (int folder, const char *path, int flags)
{
  int failed = folder == AT_FDCWD ? fails ("unlink", path) : file_fails ("unlink", folder);
  return failed ? -1 : (int)syscall (SYS_unlinkat, folder, path, flags);
}

typedef void *(*Memalign) (size_t, size_t);

/* The functions of the C library do not call each other by name. */
EXPORT void *
memalign (size_t alignment, size_t len)
{
  static long n; /* atomic */
  const char *none = getenv ("TALL_CALLS_NO_PAGES");
  if (none != NULL && __atomic_add_fetch (&n, 1, __ATOMIC_SEQ_CST) == strtol (none, NULL, 10))
    {
      errno = ENOMEM;
      return NULL;
    }
  return ((Memalign)dlsym (RTLD_NEXT, "memalign")) (alignment, len);
}

EXPORT void *
mmap64 (void *at, size_t len, int protection, int flags, int file, off64_t from)
{
  if ((flags & MAP_ANONYMOUS) != 0 && getenv ("TALL_CALLS_NO_MAPS") != NULL)
    {
      errno = ENOMEM;
      return MAP_FAILED;
    }
  return (void *)syscall (SYS_mmap, at, len, protection, flags, file, from);
}

EXPORT int
posix_memalign (void **memory, size_t alignment, size_t len)
{
  *memory = memalign (alignment, len);
  return *memory == NULL ? ENOMEM : 0;
}
