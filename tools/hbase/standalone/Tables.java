/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * Flushes or compacts tables, and prints what their files have then: a line "TABLE BYTES" each.
 *
 * Tables flush|compact TABLE...
 */
public final class Tables {
  private static final long PATIENCE = 300_000; // milliseconds
  private static final long POLL = 50;
  private static final long AGAIN = 10_000; // after which HBase is asked once more

  private final Configuration settings = HBaseConfiguration.create();
  private Set<Path> names = new HashSet<>(); // of files
  private long files; // of the store that had most
  private long bytes;

  private static boolean isHidden(FileStatus status) {
    String name = status.getPath().getName();
    return name.startsWith(".") || name.startsWith("recovered");
  }

  private void addStore(FileSystem system, Path store) throws Exception {
    long here = 0;
    for (FileStatus file : system.listStatus(store)) {
      if (file.isFile() && !isHidden(file)) {
        names.add(file.getPath());
        bytes += file.getLen();
        here++;
      }
    }
    files = Math.max(files, here);
  }

  private void measure(TableName table) throws Exception {
    Path folder = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(settings), table);
    FileSystem system = folder.getFileSystem(settings);
    names = new HashSet<>();
    files = 0;
    bytes = 0;
    for (FileStatus region : system.listStatus(folder)) {
      if (!region.isDirectory() || isHidden(region)) {
        continue;
      }
      for (FileStatus store : system.listStatus(region.getPath())) {
        if (store.isDirectory() && !isHidden(store)) {
          addStore(system, store.getPath());
        }
      }
    }
  }

  /* Whether each file is the only one of its store, and has been made since. */
  private boolean isCompacted(Set<Path> before) {
    return files <= 1 && names.stream().noneMatch(before::contains);
  }

  /* A compaction begins some time after it was asked for, writes each file again, even if it is the
     only one, and HBase removes what it has read some time after it. So the names say that it is over:
     that nothing is being compacted is also true before it has begun. */
  private void compact(Admin admin, TableName table) throws Exception {
    measure(table);
    Set<Path> before = names;
    long begun = System.currentTimeMillis();
    long asked = begun;
    admin.majorCompact(table);
    for (; !isCompacted(before) || admin.getCompactionState(table) != CompactionState.NONE;
        measure(table)) {
      long now = System.currentTimeMillis();
      if (now > begun + PATIENCE) {
        throw new IllegalStateException(table + " still has files from before the compaction");
      }
      if (now > asked + AGAIN && admin.getCompactionState(table) == CompactionState.NONE) {
        admin.majorCompact(table);
        asked = now;
      }
      Thread.sleep(POLL);
    }
  }

  private void settle(Admin admin, TableName table, boolean compact) throws Exception {
    admin.flush(table);
    if (compact) {
      compact(admin, table);
    } else {
      measure(table);
    }
    System.out.println(table.getNameAsString() + " " + bytes);
  }

  public static void main(String[] arguments) throws Exception {
    Tables tables = new Tables();
    boolean compact = arguments[0].equals("compact");
    try (Connection connection = ConnectionFactory.createConnection(tables.settings);
        Admin admin = connection.getAdmin()) {
      for (int i = 1; i < arguments.length; i++) {
        tables.settle(admin, TableName.valueOf(arguments[i]), compact);
      }
    }
  }
}
