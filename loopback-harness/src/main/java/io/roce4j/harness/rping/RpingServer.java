// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The side that listens, reads the client's text and writes it back. One client, or with {@code -P}
 * many at a time. Small steps; never waits.
 */
final class RpingServer implements RpingSide {
  private static final int BACKLOG = 128;

  private enum Step {
    /** Waits for the client's text. */
    TEXT,
    READING,
    /** Waits for the client's sink. */
    SINK,
    WRITING
  }

  /** A client. */
  private final class Client {
    final RdmaCmId id;
    final RpingLink link;
    Step step = Step.TEXT;
    boolean ended;

    Client(RdmaCmId id) {
      this.id = id;
      link = new RpingLink(context, id, plan.size(), plan.transport());
    }

    boolean turn() {
      int opcode = link.poll();
      if (link.fault() != null && !ended) {
        fail(this, link.fault());
        return true;
      }
      switch (opcode) {
        case WorkCompletionOpcode.RECV -> onMessage();
        case WorkCompletionOpcode.RDMA_READ -> {
          if (plan.verbose()) {
            display.accept("server ping data: " + RpingText.toString(link.get(0)));
          }
          step = Step.SINK;
          link.sendAgain();
        }
        case WorkCompletionOpcode.RDMA_WRITE -> {
          step = Step.TEXT;
          iterations++;
          link.sendAgain();
        }
        default -> {
          return opcode >= 0;
        }
      }
      return true;
    }

    private void onMessage() {
      if (!link.isMessageGood()) {
        fail(this, link.fault());
        return;
      }
      long offered = link.peerSize();
      if (step == Step.TEXT && offered > link.size()) {
        fail(this, "the client offers " + offered + " bytes: start the server with -S " + offered);
      } else if (step == Step.TEXT) {
        link.receive();
        step = Step.READING;
        link.read((int) offered);
      } else if (step == Step.SINK) {
        link.receive();
        step = Step.WRITING;
        int length = Math.min(RpingText.length(link.get(0)) + 1, link.size());
        link.write((int) Math.min(length, offered));
      } else {
        fail(this, "the client spoke out of turn");
      }
    }

    void close() {
      id.close();
      link.close();
    }
  }

  private final RpingPlan plan;
  private final RdmaContext context;
  private final CmEventChannel channel;
  private final RdmaCmId listener;
  private final Consumer<String> display;
  private final Map<RdmaCmId, Client> clients = new LinkedHashMap<>();
  private final Queue<RdmaCmId> waiting = new ArrayDeque<>();
  private boolean spokeMx;
  private boolean done;
  private String fault;
  private long iterations;

  /**
   * Begins to listen.
   *
   * @param display gets a line an iteration
   */
  RpingServer(RpingPlan plan, RdmaContext context, RdmaCm cm, Consumer<String> display) {
    this.plan = plan;
    this.context = context;
    this.display = display;
    channel = cm.createEventChannel();
    listener = cm.createId(channel, PortSpace.TCP);
    listener.bindAddress(null, plan.port());
    listener.listen(BACKLOG);
  }

  @Override
  public boolean turn() {
    CmEvent event = channel.poll();
    if (event != null) {
      onEvent(event);
    }
    boolean worked = event != null;
    for (Client client : clients.values()) {
      worked |= client.turn();
    }
    if (clients.values().removeIf(this::closeEnded)) {
      worked = true;
      done |= !plan.persistent();
    }
    if (!waiting.isEmpty() && (plan.persistent() || clients.isEmpty()) && !done) {
      serve(waiting.remove());
    }
    return worked;
  }

  private boolean closeEnded(Client client) {
    if (client.ended) {
      client.close();
    }
    return client.ended;
  }

  private void onEvent(CmEvent event) {
    Client client = clients.get(event.id());
    switch (event.type()) {
      case CONNECT_REQUEST -> waiting.add(event.id());
      case DISCONNECTED -> {
        if (client != null) {
          client.ended = true;
        }
      }
      case REJECTED, UNREACHABLE -> {
        waiting.remove(event.id());
        if (client != null) {
          fail(client, "the client gave up before it was connected");
        }
      }
      default -> {
        // ESTABLISHED may come after the first message; nothing hangs on it.
      }
    }
  }

  private void serve(RdmaCmId id) {
    try {
      Client client = new Client(id);
      clients.put(id, client);
      id.accept(new ConnectionParameters());
      spokeMx |= client.link.speaksMx();
    } catch (VerbsException e) {
      id.close();
      fail(clients.get(id), "a client could not be accepted: " + e.getMessage());
    }
  }

  /** Ends a client early; without {@code -P} that is the end of the run, too. */
  private void fail(Client client, String reason) {
    display.accept("rping: " + reason);
    if (client != null) {
      client.ended = true;
    }
    if (!plan.persistent()) {
      fault = reason;
      done = true;
    }
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public String fault() {
    return fault;
  }

  @Override
  public long iterations() {
    return iterations;
  }

  @Override
  public String transport() {
    return spokeMx ? "mx" : "rc";
  }

  @Override
  public void stop() {
    done = true;
  }

  @Override
  public void close() {
    clients.values().forEach(Client::close);
    clients.clear();
    waiting.forEach(RdmaCmId::close);
    waiting.clear();
    listener.close();
  }
}
