/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table-checks.h"
#include "table/table.h"

typedef struct _TallTableKind TallTableKind;

#define TALL_TABLE_MAX_CHOICES 4 /* of one kind */

/**
 * TallTableAddress:
 *
 * Where the tables of a deployment are kept: `SCHEME PLACE [?PARAMETER=VALUE[&PARAMETER=VALUE…]]`,
 * such as `rocksdb:shop?name=trial&sync=0`. Every kind has the parameter `name`; the others are
 * those that it lists.
 */
typedef struct
{
  const TallTableKind *kind;
  char *place;                              /* as the kind understands it */
  char *name;                               /* of the deployment; NULL: the usual one */
  gboolean choices[TALL_TABLE_MAX_CHOICES]; /* by position in the kind's list: the second word */
  gsize cache_bytes; /* of memory for what is read, where that is taken; 0: a usual size. No
                      * parameter */
} TallTableAddress;

TallTableAddress *tall_table_address_new (const TallTableKind *kind,
                                          const char *rest,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableAddress *tall_table_address_copy (const TallTableAddress *self);
void tall_table_address_free (TallTableAddress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTableAddress, tall_table_address_free)

void tall_table_address_set_name (TallTableAddress *self, const char *name);
void tall_table_address_set_place (TallTableAddress *self, const char *place);
gboolean tall_table_address_get_choice (const TallTableAddress *self, const char *name);
TallTable *tall_table_address_open (const TallTableAddress *self,
                                    gboolean create,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallTableChoice:
 *
 * A parameter of an address that is one of two words, such as `sync=0|1`.
 */
typedef struct
{
  const char *name;
  const char *words[2];
  gboolean usual; /* which one counts if the parameter is not given: the second? */
} TallTableChoice;

/**
 * TallTableKind:
 *
 * A kind of place that keeps tables: how its address is written, and what can be done there. The
 * library, the program and its help take everything that they know about a kind from here. A new
 * kind is a folder with one of these, an entry in TALL_TABLE_KINDS and a line in meson.build.
 */
struct _TallTableKind
{
  const char *name;               /* as #TallTableInfo says it */
  const char *title;              /* for people, such as `HBase` */
  const char *scheme;             /* with all that stands before the place, such as `rocksdb:` */
  const char *place;              /* what stands for the place in help, such as `DIR` */
  const char *more;               /* nullable: what may follow it, such as `,host:port` */
  const char *what;               /* the place in a sentence, such as `the directory` */
  const TallTableChoice *choices; /* ended by one without a name */

  /* The place is a directory, made when a deployment is created. One process has it open at a
   * time. Its tables have no regions. */
  gboolean is_embedded;

  /**
   * read_place:
   * @text: as it stands in an address, not empty
   *
   * Returns: (transfer full): the place; NULL with %TALL_ERROR_INVALID, saying what is wrong
   */
  char *(*read_place) (const char *text, GError **error);

  /**
   * open:
   * @create: make a new store if there is none
   *
   * Returns: (transfer full): the tables; NULL if they cannot be reached
   */
  TallTable *(*open) (const TallTableAddress *address, gboolean create, GError **error);

  /**
   * check_spec:
   *
   * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if it cannot keep a table like this: what is known
   *   without opening anything
   */
  gboolean (*check_spec) (const TallTableSpec *spec, GError **error);

  /**
   * find_room:
   * @place: as of an address
   *
   * Optional. Absent: it is not known.
   *
   * Returns: bytes of rows that can be written there besides what there is, without what the store
   *   needs to write them; 0: not known
   */
  guint64 (*find_room) (const char *place);

  /**
   * make_ddl:
   * @deployment: (nullable): its name; NULL: the usual one
   *
   * Optional. Absent: it makes its tables without a person.
   *
   * Returns: (transfer full): the statement by which an administrator creates a table; NULL with
   *   %TALL_ERROR_INVALID if a deployment cannot have this name
   */
  char *(*make_ddl) (const TallTableSpec *spec, const char *deployment, GError **error);
};

/* The usual one first. */
#define TALL_TABLE_KINDS(X)                                                                        \
  X (rocksdb)                                                                                      \
  X (hbase)

#define TALL_DECLARE_TABLE_KIND(name) extern const TallTableKind tall_table_kind_##name;
TALL_TABLE_KINDS (TALL_DECLARE_TABLE_KIND)
#undef TALL_DECLARE_TABLE_KIND

char *tall_table_kind_make_form (const TallTableKind *self);
char *tall_table_kind_make_short_form (const TallTableKind *self);

/* The attribute of a table's descriptor in HBase that keeps the token of its seal. */
#define TALL_SEAL_ATTRIBUTE "TALLORDER_SEAL"

char *tall_table_spec_to_ddl (const TallTableSpec *self, const char *deployment);
char *
tall_table_shutter_to_ddl (const TallTableShutter *self, const char *deployment, const char *table);

guint tall_table_spec_count_regions (const TallTableSpec *self);
guint tall_table_spec_find_region (const TallTableSpec *self, TallSlice row);
