// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

import io.roce4j.wire.memory.NativeMemory;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What an interface is at the moment: its MTU and whether it is up. Asked through a socket, and so
 * in the network namespace the socket was opened in. Allocates nothing per question.
 */
public final class LinkState implements AutoCloseable {
  private static final int SIOCGIFFLAGS = 0x8913;
  private static final int SIOCGIFMTU = 0x8921;
  private static final int IFF_UP = 1;
  private static final int IFF_RUNNING = 0x40;
  private static final int NAME_LENGTH = 16;
  private static final int REQUEST = 40;

  private final Libc libc;
  private final int fd;
  private final UnsafeBuffer request = NativeMemory.allocate("port-link", REQUEST, 8);

  /**
   * Watches an interface.
   *
   * @param libc calls of the thread that will ask
   * @param fd any socket; not closed here
   * @param name of the interface, at most 15 bytes
   */
  public LinkState(Libc libc, int fd, String name) {
    this.libc = libc;
    this.fd = fd;
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    request.putBytes(0, bytes, 0, Math.min(bytes.length, NAME_LENGTH - 1));
  }

  /**
   * The MTU.
   *
   * @return bytes of an IP packet, or -errno when the interface is gone
   */
  public int mtuBytes() {
    int result = libc.ioctl(fd, SIOCGIFMTU, request.addressOffset());
    return result < 0 ? result : request.getInt(NAME_LENGTH);
  }

  /**
   * Whether packets can leave.
   *
   * @return true when the interface is up and has a carrier
   */
  public boolean isUp() {
    int result = libc.ioctl(fd, SIOCGIFFLAGS, request.addressOffset());
    int wanted = IFF_UP | IFF_RUNNING;
    return result >= 0 && (request.getShort(NAME_LENGTH) & wanted) == wanted;
  }

  @Override
  public void close() {
    NativeMemory.release(request);
  }
}
