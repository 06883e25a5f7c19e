/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

/**
 * TallBenchFigure:
 *
 * One line of a report: something of ours beside its floor. Texts are copied when it is added.
 */
typedef struct
{
  const char *id;   /* for programs, such as `rocksdb-get` */
  const char *what; /* for people */
  const char *unit; /* of @ours and @floor */
  double ours;
  double floor;
  double ratio;
  double goal;                       /* 0: none */
  gboolean at_least;                 /* whether @ratio is to be @goal or more, else or less */
  const TallMeasured *ours_measured; /* nullable: for programs */
  const TallMeasured *floor_measured;
} TallBenchFigure;

/**
 * TallBenchReport:
 *
 * The figures of one run.
 */
typedef struct _TallBenchReport TallBenchReport;

/* @text: whole lines */
typedef void TallBenchShow (const char *text, gpointer data);

TallBenchReport *tall_bench_report_new (void);
void tall_bench_report_free (TallBenchReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBenchReport, tall_bench_report_free)

void tall_bench_report_set (TallBenchReport *self, const char *setting, gint64 value);
void tall_bench_report_show (TallBenchReport *self, TallBenchShow *show, gpointer data);
void tall_bench_report_add (TallBenchReport *self, const TallBenchFigure *figure);
void tall_bench_report_add_rate (TallBenchReport *self,
                                 const char *id,
                                 const char *what,
                                 double goal,
                                 const TallMeasured *ours,
                                 const TallMeasured *floor);
void tall_bench_report_add_latency (TallBenchReport *self,
                                    const char *id,
                                    const char *what,
                                    double goal,
                                    const TallMeasured *ours,
                                    const TallMeasured *floor);

guint tall_bench_report_count_missed (const TallBenchReport *self);
char *tall_bench_report_to_json (const TallBenchReport *self);

G_END_DECLS
