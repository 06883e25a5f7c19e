/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-parts-front.h"

#define MOST_CURSOR (2 << 20)

struct _TallPartsFront
{
  TallForwardingFront parent_instance;
  TallFront *second; /* owned */
  guint most;
  guint n_parts;
};

G_DEFINE_FINAL_TYPE (TallPartsFront, tall_parts_front, TALL_TYPE_FORWARDING_FRONT)

static TallVerifyPart *
verify_some (TallFront *front, const TallVerifyRequest *request, GError **error)
{
  TallPartsFront *self = TALL_PARTS_FRONT (front);
  TallFront *first = tall_forwarding_front_get_front (TALL_FORWARDING_FRONT (self));
  TallVerifyRequest small = *request;
  small.most = self->most;
  TallVerifyPart *part =
      tall_front_verify_some (self->n_parts++ % 2 == 0 ? first : self->second, &small, error);
  if (part == NULL)
    return NULL;
  g_assert_cmpuint (part->n_findings, <=, TALL_VERIFY_MOST_FINDINGS);
  g_assert_cmpuint (part->cursor.len, <, MOST_CURSOR);
  if (self->most > 0)
    g_assert_cmpuint (part->n_customers + part->n_orders + part->n_hints + part->n_ids, <=,
                      self->most);
  return part;
}

static void
tall_parts_front_finalize (GObject *object)
{
  g_clear_object (&TALL_PARTS_FRONT (object)->second);
  G_OBJECT_CLASS (tall_parts_front_parent_class)->finalize (object);
}

static void
tall_parts_front_class_init (TallPartsFrontClass *klass)
{
  TALL_FRONT_CLASS (klass)->verify_some = verify_some;
  TALL_FRONT_CLASS (klass)->verify = NULL; /* so that it is done by the former */
  G_OBJECT_CLASS (klass)->finalize = tall_parts_front_finalize;
}

static void
tall_parts_front_init (TallPartsFront *self G_GNUC_UNUSED)
{
}

/**
 * tall_parts_front_new:
 * @first: (transfer none): does every other part
 * @second: (transfer none): does the others; may be the same
 * @most: what a part looks at; 0: as much as it likes
 */
TallFront *
tall_parts_front_new (TallFront *first, TallFront *second, guint most)
{
  TallPartsFront *self = g_object_new (TALL_TYPE_PARTS_FRONT, NULL);
  tall_forwarding_front_wrap (TALL_FORWARDING_FRONT (self), first);
  self->second = g_object_ref (second);
  self->most = most;
  return TALL_FRONT (self);
}

guint
tall_parts_front_count (TallPartsFront *self)
{
  return self->n_parts;
}
