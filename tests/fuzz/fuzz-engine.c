/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <signal.h>
#include <stdlib.h>

/* A fatal warning of GLib raises SIGTRAP, for which libFuzzer keeps no input; for SIGABRT it does.
 */
static void
on_trap (int number)
{
  (void)number;
  abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  signal (SIGTRAP, on_trap);
  return 0;
}
