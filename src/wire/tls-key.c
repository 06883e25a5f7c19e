/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Reads a private key: only one that is kept secret. */
#include "wire/tls-private.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes; the largest keys in use have some 15 KiB. */
#define MAX_KEY (64 * 1024)

/* A key with a password would have it asked for at the terminal: of a service nobody sees that. */
static int
refuse_password (char *buffer G_GNUC_UNUSED,
                 int size G_GNUC_UNUSED,
                 int writing G_GNUC_UNUSED,
                 void *asked)
{
  *(gboolean *)asked = TRUE;
  return -1;
}

/* A key of root may be read by one group: so it is shared with a service (Debian: ssl-cert). */
static gboolean
is_secret (const struct stat *status)
{
  mode_t shared = S_IRWXG | S_IRWXO;
  if (status->st_uid == 0 && geteuid () != 0)
    shared &= ~(mode_t)S_IRGRP;
  return (status->st_mode & shared) == 0;
}

static gboolean
check_file (int fd, const char *path, GError **error)
{
  struct stat status;
  if (fd < 0 || fstat (fd, &status) != 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "Key %s cannot be read: %s", path,
                   g_strerror (errno));
      return FALSE;
    }
  if (!S_ISREG (status.st_mode))
    {
      tall_error_set_invalid (error, "key", "Key %s is no file", path);
      return FALSE;
    }
  if (is_secret (&status))
    return TRUE;
  tall_error_set_invalid (error, "key",
                          "Key %s can be used by others than its owner (mode %04o), so it is no "
                          "secret: make a new one if others were there, and run chmod 600 on it",
                          path, (guint)status.st_mode & 07777);
  return FALSE;
}

static EVP_PKEY *
parse (const guint8 *data, gsize len, const char *path, GError **error)
{
  gboolean asked = FALSE;
  g_autoptr (BIO) bio = BIO_new_mem_buf (data, (int)len);
  ERR_clear_error ();
  EVP_PKEY *key = PEM_read_bio_PrivateKey (bio, NULL, refuse_password, &asked);
  if (key == NULL && asked)
    tall_error_set_invalid (error, "key",
                            "Key %s has a password, which nobody can give here: write it without "
                            "one (openssl pkey), readable for its owner only",
                            path);
  else if (key == NULL)
    tall_error_set_invalid (error, "key", "Key %s is no private key in PEM form", path);
  ERR_clear_error ();
  return key;
}

/**
 * tall_tls_key_load:
 *
 * Returns: (transfer full): the key in a PEM file that only its owner can read; NULL with
 *   %TALL_ERROR_INVALID, or %TALL_ERROR_UNAVAILABLE if it cannot be read. No error has anything of
 *   the file's content
 */
EVP_PKEY *
tall_tls_key_load (const char *path, GError **error)
{
  EVP_PKEY *key = NULL;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (check_file (fd, path, error))
    {
      g_autofree guint8 *data = g_malloc (MAX_KEY);
      gssize len = read (fd, data, MAX_KEY);
      key = parse (data, (gsize)MAX (len, 0), path, error);
      OPENSSL_cleanse (data, MAX_KEY);
    }
  if (fd >= 0)
    close (fd);
  return key;
}
