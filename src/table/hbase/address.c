/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/address.h"

#include "tall-error.h"
#include "table/table-ddl.h"
#include "table/table-kind.h"

#include <string.h>

enum
{
  CHOICE_FRAMED,
  CHOICE_PROTOCOL,
};

static const TallTableChoice choices[] = {
  [CHOICE_FRAMED] = { "framed", { "0", "1" }, FALSE },
  [CHOICE_PROTOCOL] = { "protocol", { "binary", "compact" }, FALSE },
  { NULL },
};

/**
 * tall_hbase_address_init:
 * @address: of an HBase; must live as long as this
 *
 * Starts from the usual options.
 */
void
tall_hbase_address_init (TallHbaseAddress *self, const TallTableAddress *address)
{
  self->options = (TallHbaseOptions)TALL_HBASE_OPTIONS_INIT;
  self->gateways = g_strsplit (address->place, ",", -1);
  self->options.gateways = (const char *const *)self->gateways;
  self->options.name = address->name;
  self->options.framed = address->choices[CHOICE_FRAMED];
  self->options.compact = address->choices[CHOICE_PROTOCOL];
}

void
tall_hbase_address_clear (TallHbaseAddress *self)
{
  g_clear_pointer (&self->gateways, g_strfreev);
}

static char *
read_place (const char *text, GError **error)
{
  g_auto (GStrv) gateways = g_strsplit (text, ",", -1);
  for (guint i = 0; gateways[i] != NULL; i++)
    {
      const char *colon = strrchr (gateways[i], ':');
      guint64 port;
      if (colon == NULL || colon == gateways[i]
          || !g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
        {
          tall_error_set_invalid (error, "store", "“%s” is not host:port", gateways[i]);
          return NULL;
        }
    }
  return g_strdup (text);
}

/* An administrator has made the HBase: nothing is created here but tables. */
static TallTable *
open_tables (const TallTableAddress *address, gboolean create G_GNUC_UNUSED, GError **error)
{
  g_auto (TallHbaseAddress) self = { 0 };
  tall_hbase_address_init (&self, address);
  return tall_hbase_table_open (&self.options, error);
}

static char *
make_ddl (const TallTableSpec *spec, const char *deployment, GError **error)
{
  const char *name = deployment != NULL ? deployment : "tallorder";
  if (name[strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-.:")] == '\0')
    return tall_table_spec_to_ddl (spec, name);
  tall_error_set_invalid (error, "name",
                          "A name of tables in HBase has only letters, digits and _ - . in it, "
                          "and a : after the namespace");
  return NULL;
}

const TallTableKind tall_table_kind_hbase = {
  .name = TALL_HBASE_KIND,
  .title = "HBase",
  .scheme = "hbase://",
  .place = "host:port",
  .more = ",host:port",
  .what = "host:port",
  .choices = choices,
  .read_place = read_place,
  .open = open_tables,
  .check_spec = tall_hbase_table_check_spec,
  .make_ddl = make_ddl,
};
