// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.log4j.Logger;
import org.apache.log4j.varia.NullAppender;

/**
 * Fetches the rows of an order by HBase's own client, as often as it is asked to, and never writes.
 * Commands come as lines on standard input, answers go to standard output:
 *
 * <pre>
 * plan N               then N lines: get TABLE ROW, or scan TABLE START STOP; rows in hex    ready
 * run N                fetches all of it N times, one after the other                        done
 * check                MD5 of what the fetches since the last check have found               MD5
 * </pre>
 *
 * The reads of a plan with several of them are done at the same time. The digest is that of all
 * cells of one fetch; "different" if fetches do not agree.
 */
public final class OrderReader {
  private final Connection connection;
  private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  });
  private final List<Callable<List<Result>>> reads = new ArrayList<>();
  private final List<List<Result>> found = new ArrayList<>();

  private OrderReader(Connection connection) {
    this.connection = connection;
  }

  private Callable<List<Result>> parse(String line) throws IOException {
    String[] words = line.split(" ", -1);
    Table table = connection.getTable(TableName.valueOf(words[1]));
    byte[] row = HexFormat.of().parseHex(words[2]);
    if (words[0].equals("get")) {
      return () -> List.of(table.get(new Get(row).readAllVersions()));
    }
    byte[] stop = HexFormat.of().parseHex(words[3]);
    return () -> scan(table, new Scan().withStartRow(row).withStopRow(stop).readAllVersions());
  }

  private static List<Result> scan(Table table, Scan scan) throws IOException {
    List<Result> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        rows.add(row);
      }
    }
    return rows;
  }

  private List<Result> fetch() throws Exception {
    if (reads.size() == 1) {
      return reads.get(0).call();
    }
    List<Result> rows = new ArrayList<>();
    List<Future<List<Result>>> futures = new ArrayList<>();
    for (Callable<List<Result>> read : reads.subList(1, reads.size())) {
      futures.add(threads.submit(read));
    }
    rows.addAll(reads.get(0).call());
    for (Future<List<Result>> future : futures) {
      rows.addAll(future.get());
    }
    return rows;
  }

  private static void add(MessageDigest digest, byte[] bytes) {
    digest.update(ByteBuffer.allocate(4).putInt(bytes.length).array());
    digest.update(bytes);
  }

  private static String digest(List<Result> rows) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("MD5");
    for (Result row : rows) {
      if (row.isEmpty()) {
        continue;
      }
      for (Cell cell : row.rawCells()) {
        add(digest, CellUtil.cloneRow(cell));
        add(digest, CellUtil.cloneQualifier(cell));
        digest.update(ByteBuffer.allocate(8).putLong(cell.getTimestamp()).array());
        add(digest, CellUtil.cloneValue(cell));
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private String check() throws Exception {
    String first = null;
    for (List<Result> rows : found) {
      String each = digest(rows);
      first = first == null ? each : first;
      if (!each.equals(first)) {
        return "different";
      }
    }
    found.clear();
    return first == null ? "nothing" : first;
  }

  private String answer(String line, BufferedReader input) throws Exception {
    String[] words = line.split(" ", -1);
    int n = words.length > 1 ? Integer.parseInt(words[1]) : 0;
    switch (words[0]) {
      case "plan":
        reads.clear();
        for (int i = 0; i < n; i++) {
          reads.add(parse(input.readLine()));
        }
        return "ready";
      case "run":
        for (int i = 0; i < n; i++) {
          found.add(fetch());
        }
        return "done";
      case "check":
        return check();
      default:
        throw new IllegalArgumentException("no such command: " + words[0]);
    }
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream output = System.out;
    System.setOut(System.err); // what else prints must not come between answers
    Logger.getRootLogger().addAppender(new NullAppender());
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
      OrderReader reader = new OrderReader(connection);
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        output.println(reader.answer(line, input));
        output.flush();
      }
    }
  }
}
