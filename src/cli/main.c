/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-command.h"
#include "tall-log.h"
#include "tall-output.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const TallCommand *const commands[] = {
  &tall_command_init,   &tall_command_serve,  &tall_command_load,     &tall_command_put,
  &tall_command_get,    &tall_command_delete, &tall_command_customer, &tall_command_explain,
  &tall_command_status, &tall_command_bench,  &tall_command_list,     &tall_command_export,
  &tall_command_drop,
};

static const TallCommand *
find_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i]->name, name))
      return commands[i];
  return NULL;
}

static void
print_help (void)
{
  tall_print ("tallorder stores customers and their orders on HBase, or embedded on RocksDB.\n"
              "\n"
              "Usage: tallorder COMMAND [OPTIONS] [ARGUMENTS]\n"
              "\n"
              "Commands (* also on a server):\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    tall_print ("  %-9s%s %s\n", commands[i]->name, commands[i]->takes_server ? "*" : " ",
                commands[i]->summary);
  tall_print ("\n"
              "Where the orders are:\n"
              "  --store rocksdb:DIR[?name=N&sync=0|1]\n"
              "  --store hbase://host:port[,host:port][?name=N&framed=0|1"
              "&protocol=binary|compact]\n"
              "  --server HOST:PORT\n"
              "  --config FILE    a key file that gives options; those given here win\n"
              "\n"
              "Exit codes: 0 done, 1 not found or rejected, 2 wrong usage, 3 failed.\n"
              "\n"
              "Start with:\n"
              "  tallorder init --store rocksdb:shop\n"
              "  tallorder load --store rocksdb:shop --map northwind orders.csv\n"
              "  tallorder get  --store rocksdb:shop VINET 10248\n"
              "\n"
              "tallorder COMMAND --help tells more.\n");
}

static TallExit
help (int argc, char **argv)
{
  const TallCommand *command = argc > 2 ? find_command (argv[2]) : NULL;
  if (argc <= 2)
    {
      print_help ();
      return TALL_EXIT_DONE;
    }
  if (command == NULL)
    {
      tall_print_error ("There is no command “%s”; see: tallorder help", argv[2]);
      return TALL_EXIT_USAGE;
    }
  char *arguments[] = { argv[0], (char *)"--help", NULL };
  return command->run (2, arguments);
}

static TallExit
dispatch (int argc, char **argv)
{
  if (argc < 2)
    {
      tall_print_error ("Say what to do; see: tallorder help");
      return TALL_EXIT_USAGE;
    }
  if (g_str_equal (argv[1], "--version"))
    {
      tall_print ("tallorder %s\n", TALL_VERSION);
      return TALL_EXIT_DONE;
    }
  if (g_str_equal (argv[1], "help") || g_str_equal (argv[1], "--help")
      || g_str_equal (argv[1], "-h"))
    return help (argc, argv);

  const TallCommand *command = find_command (argv[1]);
  if (command == NULL)
    {
      tall_print_error (*argv[1] == '-' ? "Options come after the command, and “%s” is none; see: "
                                          "tallorder help"
                                        : "There is no command “%s”; see: tallorder help",
                        argv[1]);
      return TALL_EXIT_USAGE;
    }
  tall_log_start (command == &tall_command_serve);
  return command->run (argc - 1, argv + 1);
}

/* Whoever starts the program with one of its first three descriptors closed must not have a file of
 * the store take that number, to be written over by the next message. */
static gboolean
open_standard_files (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", O_RDWR) != fd)
      return FALSE;
  return TRUE;
}

int
main (int argc, char **argv)
{
  if (!open_standard_files ())
    return TALL_EXIT_FAILED;
  /* Whoever reads the output may stop: that ends a command, not the process in mid-work. */
  signal (SIGPIPE, SIG_IGN);
  return tall_output_finish (dispatch (argc, argv));
}
