/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/**
 * LLVMFuzzerTestOneInput:
 *
 * A fuzzing engine, or fuzz-main.c in its place, calls this with each input. It must return 0 for
 * any bytes; a property that does not hold aborts.
 */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The engine calls it first; in fuzz-engine.c. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
