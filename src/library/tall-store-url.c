/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-store-url.h"
#include "tall-error.h"
#include "tall-hbase-table.h"
#include "tall-rocksdb-table.h"

#include <string.h>

#define FORMS                                                                                      \
  "write rocksdb:DIR[?name=N&sync=0|1] or "                                                        \
  "hbase://host:port[,host:port][?name=N&framed=0|1&protocol=binary|compact]"

void
tall_store_url_free (TallStoreUrl *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->directory);
  g_strfreev (self->gateways);
  g_free (self);
}

/* The position of @value among @words, such as "0|1". */
static gboolean
read_choice (
    const char *key, const char *value, const char *words, gboolean *choice, GError **error)
{
  g_auto (GStrv) known = g_strsplit (words, "|", 2);
  for (guint i = 0; i < 2; i++)
    if (g_str_equal (known[i], value))
      {
        *choice = i == 1;
        return TRUE;
      }
  tall_error_set_invalid (error, "store", "%s=%s: choose %s or %s", key, value, known[0], known[1]);
  return FALSE;
}

static gboolean
read_parameter (TallStoreUrl *self, const char *key, const char *value, GError **error)
{
  gboolean rocksdb = self->kind == TALL_STORE_ROCKSDB;
  if (g_str_equal (key, "name"))
    {
      if (*value == '\0' || strpbrk (value, " \t\r\n") != NULL)
        {
          tall_error_set_invalid (error, "store", "name=%s: a name is not empty and has no spaces",
                                  value);
          return FALSE;
        }
      g_free (self->name);
      self->name = g_strdup (value);
      return TRUE;
    }
  if (rocksdb && g_str_equal (key, "sync"))
    return read_choice (key, value, "0|1", &self->sync, error);
  if (!rocksdb && g_str_equal (key, "framed"))
    return read_choice (key, value, "0|1", &self->framed, error);
  if (!rocksdb && g_str_equal (key, "protocol"))
    return read_choice (key, value, "binary|compact", &self->compact, error);
  tall_error_set_invalid (error, "store", "there is no parameter “%s”; known are: %s", key,
                          rocksdb ? "name, sync" : "name, framed, protocol");
  return FALSE;
}

static gboolean
read_parameters (TallStoreUrl *self, const char *query, GError **error)
{
  g_auto (GStrv) parameters = g_strsplit (query, "&", -1);
  for (guint i = 0; parameters[i] != NULL; i++)
    {
      char *value = strchr (parameters[i], '=');
      if (value == NULL)
        {
          tall_error_set_invalid (error, "store", "parameter “%s” has no value", parameters[i]);
          return FALSE;
        }
      *value++ = '\0';
      g_autofree char *plain = g_uri_unescape_string (value, NULL);
      if (plain == NULL)
        {
          tall_error_set_invalid (error, "store", "parameter “%s”: “%%” needs two hex digits",
                                  parameters[i]);
          return FALSE;
        }
      if (!read_parameter (self, parameters[i], plain, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_place (TallStoreUrl *self, const char *place, GError **error)
{
  if (*place == '\0')
    {
      tall_error_set_invalid (error, "store", "%s is missing",
                              self->kind == TALL_STORE_ROCKSDB ? "the directory" : "host:port");
      return FALSE;
    }
  if (self->kind == TALL_STORE_ROCKSDB)
    {
      self->directory = g_uri_unescape_string (place, NULL);
      if (self->directory == NULL)
        tall_error_set_invalid (error, "store", "“%%” needs two hex digits; write %%25 for %%");
      return self->directory != NULL;
    }
  self->gateways = g_strsplit (place, ",", -1);
  for (guint i = 0; self->gateways[i] != NULL; i++)
    {
      const char *colon = strrchr (self->gateways[i], ':');
      guint64 port;
      if (colon == NULL || colon == self->gateways[i]
          || !g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
        {
          tall_error_set_invalid (error, "store", "“%s” is not host:port", self->gateways[i]);
          return FALSE;
        }
    }
  return TRUE;
}

/* Users may give the address of a server where a store is meant. */
static void
set_unknown_kind (const char *text, GError **error)
{
  const char *colon = strrchr (text, ':');
  guint64 port;
  if (colon != NULL && colon != text
      && g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
    tall_error_set_invalid (error, "store",
                            "this is an address, not a store; that of a server goes to --server, "
                            "in a C program to tall_client_new ()");
  else
    tall_error_set_invalid (error, "store", "this kind of store is not known");
}

static gboolean
read_url (TallStoreUrl *self, const char *text, GError **error)
{
  const char *rest;
  if (g_str_has_prefix (text, "rocksdb:"))
    {
      self->kind = TALL_STORE_ROCKSDB;
      rest = text + strlen ("rocksdb:");
    }
  else if (g_str_has_prefix (text, "hbase://"))
    {
      self->kind = TALL_STORE_HBASE;
      rest = text + strlen ("hbase://");
    }
  else
    {
      set_unknown_kind (text, error);
      return FALSE;
    }
  self->sync = TRUE;
  const char *query = strchr (rest, '?');
  g_autofree char *place =
      query == NULL ? g_strdup (rest) : g_strndup (rest, (gsize)(query - rest));
  return read_place (self, place, error)
         && (query == NULL || read_parameters (self, query + 1, error));
}

/**
 * tall_store_url_parse:
 *
 * Returns: (transfer full): the URL's parts; NULL with %TALL_ERROR_INVALID, saying what is wrong
 *   and how to write it
 */
TallStoreUrl *
tall_store_url_parse (const char *text, GError **error)
{
  g_autoptr (TallStoreUrl) self = g_new0 (TallStoreUrl, 1);
  g_autoptr (GError) local = NULL;
  if (read_url (self, text, &local))
    return g_steal_pointer (&self);
  tall_error_set_invalid (error, "store", "Store “%s”: %s; %s", text, local->message, FORMS);
  return NULL;
}

/**
 * tall_store_url_open:
 * @create: make a new embedded store if there is none
 *
 * Returns: (transfer full): the tables; NULL if they cannot be reached
 */
TallTable *
tall_store_url_open (const TallStoreUrl *self, gboolean create, GError **error)
{
  if (self->kind == TALL_STORE_ROCKSDB)
    {
      TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
      options.directory = self->directory;
      options.name = self->name;
      options.sync = self->sync;
      options.must_exist = !create;
      return tall_rocksdb_table_open (&options, error);
    }
  TallHbaseOptions options = TALL_HBASE_OPTIONS_INIT;
  options.gateways = (const char *const *)self->gateways;
  options.name = self->name;
  options.framed = self->framed;
  options.compact = self->compact;
  return tall_hbase_table_open (&options, error);
}
