// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;

/** Protection domains, memory regions and their bytes, memory windows. */
final class MemoryVerbs {
  private static final String TAG = "dut.memory";

  /** Memory of all regions together: room for two of the longest messages. */
  private static final long MEMORY_BYTES_MAX = 4L << 30;

  /** Bytes of one read or write, so that a line can hold their digits. */
  private static final int TRANSFER_BYTES_MAX = 8_000_000;

  /** Fill word for bytes that count. */
  private static final String COUNTER = "counter";

  /** Not a multiple of a power of two, so that a shifted block is seen. */
  private static final int COUNTER_PERIOD = 251;

  private final DutSession session;

  MemoryVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("alloc_pd", this::allocPd);
    verbs.add("dealloc_pd", this::deallocPd, "pd");
    verbs.add("reg_mr", this::regMr, "pd", "length", "access", "fill", "addr", "rkey");
    verbs.add("dereg_mr", this::deregMr, "mr");
    verbs.add("read_memory", this::readMemory, "mr", "offset", "length");
    verbs.add("write_memory", this::writeMemory, "mr", "offset", "hex");
    verbs.add("alloc_mw", this::allocMw, "pd", "type");
    verbs.add(
        "bind_mw", this::bindMw, "qp", "mw", "mr", "addr", "length", "access", "wrId", "sendFlags");
    verbs.add("dealloc_mw", this::deallocMw, "mw");
  }

  private void allocPd(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    answer.put("pd", endpoint.pds.add(endpoint.context().allocateProtectionDomain()));
  }

  private void deallocPd(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    endpoint.pds.get(request).close();
    endpoint.pds.remove(request);
  }

  private void regMr(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    ProtectionDomain pd = endpoint.pds.get(request);
    long length = request.size("length");
    int access = Words.access(request, "access");
    int fill = fill(request.text("fill", "00"));
    long rkey =
        request.has("rkey")
            ? Integer.toUnsignedLong(request.word32("rkey"))
            : MemoryTable.NO_KEY_WISH;
    long used = 0;
    for (Registration each : endpoint.mrs.all()) {
      used += each.memory().length();
    }
    if (length < 1) {
      throw DutException.invalid("length " + length + ": at least 1");
    }
    if (length > MEMORY_BYTES_MAX - used) {
      throw new DutException(
          "ENOMEM",
          "length " + length + ": " + (MEMORY_BYTES_MAX - used) + " bytes are left of the tool's");
    }
    NativeRegion memory = NativeRegion.allocate(TAG, length);
    MemoryRegion region;
    try {
      long start = request.has("addr") ? request.word64("addr") : endpoint.takeAddress(length);
      region = pd.register(memory.address(), length, access, start, rkey);
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
    fillMemory(memory, fill);
    answer.put("mr", endpoint.mrs.add(new Registration(region, memory)));
    answer.put("addr", Words.hex(region.address()));
    answer.put("length", length);
    answer.put("lkey", Integer.toUnsignedLong(region.lkey()));
    answer.put("rkey", Words.hex(region.rkey()));
  }

  /** The byte to fill with, or -1 for bytes that count. */
  private static int fill(String fill) {
    if (fill.equals(COUNTER)) {
      return -1;
    }
    if (!fill.matches("[0-9a-fA-F]{2}")) {
      throw DutException.badField("fill " + fill + ": a byte as two hex digits, or " + COUNTER);
    }
    return HexFormat.fromHexDigits(fill);
  }

  private static void fillMemory(NativeRegion memory, int fill) {
    if (fill > 0) {
      NativeMemory.fill(memory.address(), memory.length(), (byte) fill);
    } else if (fill < 0) {
      for (long i = 0; i < memory.length(); i++) {
        NativeMemory.putByte(memory.address() + i, (byte) (i % COUNTER_PERIOD));
      }
    }
  }

  private void deregMr(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    Registration registration = endpoint.mrs.get(request);
    registration.region().close();
    endpoint.mrs.remove(request);
    registration.memory().close();
  }

  private void readMemory(Fields request, ObjectNode answer) {
    NativeRegion memory = session.endpoint().mrs.get(request).memory();
    long length = request.size("length");
    UnsafeBuffer window = window(memory, request.size("offset"), length);
    byte[] bytes = new byte[(int) length];
    window.getBytes(0, bytes);
    answer.put("hex", HexFormat.of().formatHex(bytes));
  }

  private void writeMemory(Fields request, ObjectNode answer) {
    NativeRegion memory = session.endpoint().mrs.get(request).memory();
    byte[] bytes = request.hex("hex");
    window(memory, request.size("offset"), bytes.length).putBytes(0, bytes);
  }

  private static UnsafeBuffer window(NativeRegion memory, long offset, long length) {
    if (length > TRANSFER_BYTES_MAX) {
      throw DutException.invalid("length " + length + ": at most " + TRANSFER_BYTES_MAX);
    }
    if (offset > memory.length() || length > memory.length() - offset) {
      throw DutException.invalid(
          "offset "
              + offset
              + " and length "
              + length
              + " leave the "
              + memory.length()
              + " bytes");
    }
    UnsafeBuffer window = new UnsafeBuffer(new byte[0]);
    memory.window(window, offset, (int) length);
    return window;
  }

  private void allocMw(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    MemoryWindow window = endpoint.pds.get(request).allocateWindow(request.integer("type"));
    answer.put("mw", endpoint.mws.add(window));
    answer.put("rkey", Words.hex(window.rkey()));
  }

  private void bindMw(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    QueuePair qp = endpoint.qps.get(request);
    MemoryWindow window = endpoint.mws.get(request);
    long length = request.size("length");
    // Unbinding, length 0, needs no region.
    boolean named = length != 0 || request.has("mr");
    MemoryRegion region = named ? endpoint.mrs.get(request).region() : null;
    SendRequest bind =
        new SendRequest().wrId(request.word64("wrId", 0)).flags(Words.sendFlags(request));
    int result =
        qp.bindWindow(
            window,
            bind,
            region,
            request.word64("addr", 0),
            length,
            Words.access(request, "access"));
    if (result != PostResult.OK) {
      throw new DutException(PostResult.errno(result), PostResult.message(result));
    }
    answer.put("mw", request.integer("mw"));
    answer.put("rkey", Words.hex(window.rkey()));
  }

  private void deallocMw(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    endpoint.mws.get(request).close();
    endpoint.mws.remove(request);
  }
}
