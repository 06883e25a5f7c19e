/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include "cli/output.h"
#include "cli/options.h"
#include "library/open.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* All commands of the program, NULL-terminated, in the order in which help names them. */
extern const TallCommand *const tall_commands[];

#define TALL_COMMAND_ENTRY(name) &tall_command_##name,

const TallCommand *const tall_commands[] = { TALL_COMMANDS (TALL_COMMAND_ENTRY) NULL };

/* Returns: (nullable): the command of this name */
static const TallCommand *
commands_find (const char *name)
{
  for (guint i = 0; tall_commands[i] != NULL; i++)
    if (g_str_equal (tall_commands[i]->name, name))
      return tall_commands[i];
  return NULL;
}

static void
print_help (void)
{
  g_autoptr (GString) places = g_string_new (NULL);
  guint n;
  const TallTableKind *const *kinds = tall_table_kinds (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *form = tall_table_kind_make_form (kinds[i]);
      g_string_append_printf (places, "  --store %s\n", form);
    }

  tall_print ("tallorder stores customers and their orders on HBase, or embedded on RocksDB.\n"
              "\n"
              "Usage: tallorder COMMAND [OPTIONS] [ARGUMENTS]\n"
              "\n"
              "Commands (* also on a server):\n");
  for (guint i = 0; tall_commands[i] != NULL; i++)
    tall_print ("  %-9s%s %s\n", tall_commands[i]->name, tall_commands[i]->takes_server ? "*" : " ",
                tall_commands[i]->summary);
  tall_print ("\n"
              "Where the orders are:\n"
              "%s  --server HOST:PORT\n"
              "  --config FILE    a key file that gives options; those given here win\n"
              "Without any of them, the variable TALLORDER_STORE or TALLORDER_SERVER is used.\n"
              "\n"
              "Exit codes: 0 done, 1 not found or rejected, 2 wrong usage, 3 failed.\n"
              "\n"
              "Start with:\n"
              "  tallorder init --store rocksdb:shop\n"
              "  tallorder load --store rocksdb:shop --map northwind orders.csv\n"
              "  tallorder get  --store rocksdb:shop VINET 10248\n"
              "\n"
              "tallorder COMMAND --help tells more.\n",
              places->str);
}

static TallExit
refuse_command (const char *name)
{
  const char *meant =
      g_str_equal (name, "version") ? "--version" : tall_known_commands_suggest (name);
  if (*name == '-')
    tall_print_error ("Options come after the command, and “%s” is none; see: tallorder help",
                      name);
  else if (meant != NULL)
    tall_print_error ("There is no command “%s”. Did you mean: tallorder %s", name, meant);
  else
    tall_print_error ("There is no command “%s”; see: tallorder help", name);
  return TALL_EXIT_USAGE;
}

/* `help`, `help COMMAND`, `help COMMAND PART`. */
static TallExit
help (int argc, char **argv)
{
  if (argc <= 2)
    {
      print_help ();
      return TALL_EXIT_DONE;
    }
  const TallCommand *command = commands_find (argv[2]);
  if (command == NULL)
    return refuse_command (argv[2]);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_ptr_array_add (arguments, argv[2]);
  if (argc > 3)
    g_ptr_array_add (arguments, argv[3]);
  g_ptr_array_add (arguments, (char *)"--help");
  g_ptr_array_add (arguments, NULL);
  return command->run ((int)arguments->len - 1, (char **)arguments->pdata);
}

static TallExit
dispatch (int argc, char **argv)
{
  if (argc < 2)
    return tall_fail_saying (TALL_EXIT_USAGE, "Say what to do; see: tallorder help");
  if (g_str_equal (argv[1], "--version"))
    {
      tall_print ("tallorder %s\n", TALL_VERSION);
      return TALL_EXIT_DONE;
    }
  if (g_str_equal (argv[1], "help") || g_str_equal (argv[1], "--help")
      || g_str_equal (argv[1], "-h"))
    return help (argc, argv);

  const TallCommand *command = commands_find (argv[1]);
  if (command == NULL)
    return refuse_command (argv[1]);
  tall_log_start (command == &tall_command_serve);
  return command->run (argc - 1, argv + 1);
}

/* Whoever starts the program with one of its first three descriptors closed must not have a file of
 * the store take that number, to be written over by the next message. What is written to a standard
 * output that is closed fails as on a full disk: an export must not seem to be there. */
static gboolean
open_standard_files (void)
{
  static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", modes[fd]) != fd)
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
  /* The same for a file that reaches the limit of the process (ulimit -f): the write fails. */
  signal (SIGXFSZ, SIG_IGN);
  /* Orders are read by their owner only: RocksDB makes its files by the mask. */
  umask (umask (0) | S_IRWXG | S_IRWXO);
  tall_shortage_prepare ();
  /* A thread may outlive main() by a moment: libcrypto has to stay whole for it. */
  OPENSSL_init_crypto (OPENSSL_INIT_NO_ATEXIT, NULL);
  return tall_output_finish (dispatch (argc, argv));
}
