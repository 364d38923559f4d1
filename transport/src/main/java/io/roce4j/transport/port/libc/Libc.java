// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.roce4j.wire.memory.NativeMemory;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * System calls of the C library, one method each.
 *
 * <p>Pointers are passed as addresses, so that no call allocates. A call that fails returns {@code
 * -errno}, a call that succeeds 0 or more, as the kernel itself does it; {@link Errno} has the
 * names. An instance holds the word that errno is captured into and belongs to one thread.
 */
@SuppressWarnings("restricted") // Foreign calls are what this class is for.
public final class Libc implements AutoCloseable {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET =
      CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle SOCKET = handle("socket", 'i', "iii");
  private static final MethodHandle BIND = handle("bind", 'i', "ipi");
  private static final MethodHandle CLOSE = handle("close", 'i', "i");
  private static final MethodHandle SETSOCKOPT = handle("setsockopt", 'i', "iiipi");
  private static final MethodHandle GETSOCKOPT = handle("getsockopt", 'i', "iiipp");
  private static final MethodHandle GETSOCKNAME = handle("getsockname", 'i', "ipp");
  private static final MethodHandle SENDMMSG = handle("sendmmsg", 'i', "ipii");
  private static final MethodHandle RECVMMSG = handle("recvmmsg", 'i', "ipiip");
  private static final MethodHandle SENDTO = handle("sendto", 'l', "iplipi");
  private static final MethodHandle RECV = handle("recv", 'l', "ipli");
  private static final MethodHandle MMAP = handle("mmap", 'l', "pliiil");
  private static final MethodHandle MUNMAP = handle("munmap", 'i', "pl");
  private static final MethodHandle IOCTL = handle("ioctl", 'i', "ilp");

  private final UnsafeBuffer captureMemory =
      NativeMemory.allocate("port-errno", (int) CAPTURE.byteSize(), 16);
  private final MemorySegment capture =
      MemorySegment.ofAddress(captureMemory.addressOffset()).reinterpret(CAPTURE.byteSize());

  /** Makes a caller for one thread at a time. */
  public Libc() {}

  /**
   * {@code socket(2)}.
   *
   * @param domain AF_*
   * @param type SOCK_* with flags
   * @param protocol protocol number
   * @return descriptor, or -errno
   */
  public int socket(int domain, int type, int protocol) {
    try {
      return result((int) SOCKET.invokeExact(capture, domain, type, protocol));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code bind(2)}.
   *
   * @param fd descriptor
   * @param address of a sockaddr
   * @param length of it
   * @return 0, or -errno
   */
  public int bind(int fd, long address, int length) {
    try {
      return result((int) BIND.invokeExact(capture, fd, address, length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code close(2)}.
   *
   * @param fd descriptor
   * @return 0, or -errno
   */
  public int close(int fd) {
    try {
      return result((int) CLOSE.invokeExact(capture, fd));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code setsockopt(2)}.
   *
   * @param fd descriptor
   * @param level SOL_*
   * @param option number
   * @param value address of the value
   * @param length of it
   * @return 0, or -errno
   */
  public int setsockopt(int fd, int level, int option, long value, int length) {
    try {
      return result((int) SETSOCKOPT.invokeExact(capture, fd, level, option, value, length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code getsockopt(2)}.
   *
   * @param fd descriptor
   * @param level SOL_*
   * @param option number
   * @param value address of room for the value
   * @param length address of an int: room in, bytes written out
   * @return 0, or -errno
   */
  public int getsockopt(int fd, int level, int option, long value, long length) {
    try {
      return result((int) GETSOCKOPT.invokeExact(capture, fd, level, option, value, length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code getsockname(2)}.
   *
   * @param fd descriptor
   * @param address of room for a sockaddr
   * @param length address of an int: room in, bytes written out
   * @return 0, or -errno
   */
  public int getsockname(int fd, long address, long length) {
    try {
      return result((int) GETSOCKNAME.invokeExact(capture, fd, address, length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code sendmmsg(2)}.
   *
   * @param fd descriptor
   * @param messages address of an array of mmsghdr
   * @param count messages
   * @param flags MSG_*
   * @return messages taken, or -errno when the first was refused
   */
  public int sendmmsg(int fd, long messages, int count, int flags) {
    try {
      return result((int) SENDMMSG.invokeExact(capture, fd, messages, count, flags));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code recvmmsg(2)} without a time-out.
   *
   * @param fd descriptor
   * @param messages address of an array of mmsghdr
   * @param count messages of room
   * @param flags MSG_*
   * @return messages received, or -errno
   */
  public int recvmmsg(int fd, long messages, int count, int flags) {
    try {
      return result((int) RECVMMSG.invokeExact(capture, fd, messages, count, flags, 0L));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code sendto(2)}.
   *
   * @param fd descriptor
   * @param data address of the bytes
   * @param length how many
   * @param flags MSG_*
   * @param to address of a sockaddr, or 0
   * @param toLength its length
   * @return bytes sent, or -errno
   */
  public long sendto(int fd, long data, long length, int flags, long to, int toLength) {
    try {
      return result((long) SENDTO.invokeExact(capture, fd, data, length, flags, to, toLength));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code recv(2)}.
   *
   * @param fd descriptor
   * @param data address of room
   * @param length of it
   * @param flags MSG_*
   * @return bytes received, or -errno
   */
  public long recv(int fd, long data, long length, int flags) {
    try {
      return result((long) RECV.invokeExact(capture, fd, data, length, flags));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code mmap(2)} of a descriptor from its beginning, shared, readable and writable.
   *
   * @param fd descriptor
   * @param length bytes
   * @return address, or -errno
   */
  public long mmapShared(int fd, long length) {
    try {
      return result((long) MMAP.invokeExact(capture, 0L, length, 3, 1, fd, 0L));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code munmap(2)}.
   *
   * @param address as mapped
   * @param length as mapped
   * @return 0, or -errno
   */
  public int munmap(long address, long length) {
    try {
      return result((int) MUNMAP.invokeExact(capture, address, length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * {@code ioctl(2)} with a pointer argument.
   *
   * @param fd descriptor
   * @param request number
   * @param argument address
   * @return 0 or more, or -errno
   */
  public int ioctl(int fd, long request, long argument) {
    try {
      return result((int) IOCTL.invokeExact(capture, fd, request, argument));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * A direct buffer over mapped memory.
   *
   * @param address first byte
   * @param length bytes, below 2 GiB
   * @return a buffer that must not be used after the memory is unmapped
   */
  public static ByteBuffer byteBuffer(long address, int length) {
    return MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer();
  }

  /** Gives the memory back. */
  @Override
  public void close() {
    NativeMemory.release(captureMemory);
  }

  private int result(int value) {
    return value >= 0 ? value : -capture.get(JAVA_INT, ERRNO_OFFSET);
  }

  private long result(long value) {
    return value != -1 ? value : -capture.get(JAVA_INT, ERRNO_OFFSET);
  }

  private static RuntimeException unexpected(Throwable e) {
    return new IllegalStateException("a foreign call failed before it reached the system", e);
  }

  /** {@code i} is an int, {@code l} a long, {@code p} a pointer. */
  private static MethodHandle handle(String name, char result, String arguments) {
    MemoryLayout[] layouts = new MemoryLayout[arguments.length()];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] = arguments.charAt(i) == 'i' ? JAVA_INT : JAVA_LONG;
    }
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(result == 'i' ? JAVA_INT : JAVA_LONG, layouts);
    MemorySegment symbol =
        LINKER
            .defaultLookup()
            .find(name)
            .orElseThrow(() -> new IllegalStateException("no " + name + " in the C library"));
    Linker.Option errno = Linker.Option.captureCallState("errno");
    return name.equals("ioctl")
        ? LINKER.downcallHandle(symbol, descriptor, errno, Linker.Option.firstVariadicArg(2))
        : LINKER.downcallHandle(symbol, descriptor, errno);
  }
}
