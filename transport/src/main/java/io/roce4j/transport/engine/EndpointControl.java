// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ControlPlane;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.transport.verbs.PortAttributes;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import java.util.ServiceLoader;
import org.agrona.collections.IntHashSet;

/**
 * The control path of an {@link Endpoint}: numbers, attaching and detaching queue pairs, state
 * changes, queries. Every method runs under the agent's ownership and may allocate.
 */
public final class EndpointControl implements ControlPlane {

  /** First number given out: the ones below are special or were once. */
  private static final int FIRST_QPN = 16;

  /** The last one is multicast's. */
  private static final int LAST_QPN = 0xFF_FFFE;

  private final Endpoint endpoint;
  private final DatagramPort port;
  private final int activeMtuBytes;
  private final IntHashSet reserved = new IntHashSet();
  private int nextQpn = FIRST_QPN;

  EndpointControl(Endpoint endpoint, DatagramPort port, int activeMtuBytes) {
    this.endpoint = endpoint;
    this.port = port;
    int best = PathMtu.best(port.capabilities().mtuBytes());
    this.activeMtuBytes = activeMtuBytes == 0 ? best : activeMtuBytes;
    if (!PathMtu.isValid(this.activeMtuBytes)) {
      throw new VerbsException(
          "EINVAL", "activeMtu " + activeMtuBytes + ": allowed 256 512 1024 2048 4096");
    }
    if (this.activeMtuBytes > best) {
      throw new VerbsException(
          "EINVAL",
          "activeMtu "
              + activeMtuBytes
              + ": the interface MTU of "
              + port.capabilities().mtuBytes()
              + " carries at most "
              + best);
    }
  }

  @Override
  public int allocateQpn(int wish, int type) {
    if (wish != 0) {
      return reserved.add(wish) ? wish : QPN_TAKEN;
    }
    // Numbers are not reused before all others were, so that late packets of a destroyed queue pair
    // do not meet its successor.
    for (int tries = FIRST_QPN; tries <= LAST_QPN; tries++) {
      int qpn = nextQpn;
      nextQpn = qpn == LAST_QPN ? FIRST_QPN : qpn + 1;
      if (reserved.add(qpn)) {
        return qpn;
      }
    }
    return NO_QPN;
  }

  @Override
  public void releaseQpn(int qpn) {
    reserved.remove(qpn);
  }

  @Override
  public void attach(QueuePair queuePair) {
    TransportProfile profile = profile(queuePair.profile());
    if (!profile.supports(queuePair.type())) {
      throw new VerbsException(
          "EINVAL",
          "profile "
              + profile.name()
              + " has no queue pairs of type "
              + QueuePairType.name(queuePair.type()));
    }
    checkCongestion(queuePair);
    ConnectionSlot slot = endpoint.addSlot(queuePair);
    slot.addressChecked = queuePair.type() != QueuePairType.UD;
    slot.transportClasses = profile.transportClasses(queuePair.type());
    slot.engine = profile.create(endpoint.context(), slot, queuePair);
    queuePair.engine(slot.engine);
    endpoint.publish(slot);
  }

  private static TransportProfile profile(String name) {
    StringBuilder known = new StringBuilder();
    for (TransportProfile profile : ServiceLoader.load(TransportProfile.class)) {
      if (profile.name().equals(name)) {
        return profile;
      }
      known.append(known.isEmpty() ? "" : ", ").append(profile.name());
    }
    throw new VerbsException("EINVAL", "profile " + name + ": there is " + known);
  }

  private void checkCongestion(QueuePair queuePair) {
    String name = queuePair.congestion();
    if (EngineContext.NO_CONGESTION_CONTROL.equals(name)
        && queuePair.congestionParameters().isEmpty()) {
      return;
    }
    EndpointSettings settings = endpoint.settings();
    try {
      CongestionControllers.check(
          name,
          CongestionSettings.of(settings.linkBitsPerSecond(), activeMtuBytes, settings.baseRttNs())
              .withAll(queuePair.congestionParameters()));
    } catch (IllegalArgumentException e) {
      throw new VerbsException("EINVAL", e.getMessage());
    }
  }

  @Override
  public void detach(QueuePair queuePair) {
    ConnectionSlot slot = endpoint.slotOf(queuePair.qpNum());
    if (slot != null && slot.queuePair == queuePair) {
      endpoint.groups().removeMember(slot, port::leaveMulticast);
      endpoint.removeSlot(slot);
      slot.engine.onDetach();
    }
  }

  @Override
  public void stateChanged(QueuePair queuePair, int from, int to, int changedMask) {
    ConnectionSlot slot = endpoint.slotOf(queuePair.qpNum());
    QueuePairAttributes attributes = queuePair.attributes();
    slot.pkey = endpoint.context().verbs().pkey(attributes.pkeyIndex());
    slot.qkey = attributes.qkey();
    AddressVector peer = attributes.addressVector();
    endpoint.adopt(slot, to, peer);
    try {
      slot.engine.onStateChange(from, to, endpoint.nowNs());
    } catch (VerbsException e) {
      slot.state = from;
      throw e;
    }
    if (from != to) {
      endpoint.settings().events().onStateChange(endpoint.nowNs(), slot.qpn, from, to);
    }
    endpoint.updateDeadline(slot);
  }

  @Override
  public void query(QueuePair queuePair, QueuePairAttributes attributes) {
    ConnectionSlot slot = endpoint.slotOf(queuePair.qpNum());
    int state = queuePair.state();
    if (state != QueuePairState.RESET && state != QueuePairState.INIT) {
      attributes.rqPsn(slot.engine.expectedPsn());
      if (state != QueuePairState.RTR) {
        attributes.sqPsn(slot.engine.sendPsn());
      }
    }
    attributes.sqDraining(slot.engine.isDraining());
  }

  @Override
  public Counters counters(QueuePair queuePair) {
    if (!endpoint.settings().perQueuePairCounters()) {
      throw new VerbsException(
          "EOPNOTSUPP",
          "counters by queue pair are off: open the endpoint with perQueuePairCounters");
    }
    return endpoint.slotOf(queuePair.qpNum()).counters().snapshot();
  }

  @Override
  public void attachMulticast(QueuePair queuePair, long gidHi, long gidLo) {
    MulticastDelivery groups = endpoint.groups();
    MulticastGroup known = groups.find(gidHi, gidLo);
    if (known == null) {
      int limit = endpoint.context().verbs().deviceAttributes().maxMcastGroups();
      if (groups.size() >= limit) {
        throw new VerbsException("ENOMEM", "too many multicast groups: limit " + limit);
      }
      try {
        port.joinMulticast(gidHi, gidLo);
      } catch (IllegalArgumentException e) {
        throw new VerbsException("EOPNOTSUPP", e.getMessage());
      }
    }
    groups.obtain(gidHi, gidLo).add(endpoint.slotOf(queuePair.qpNum()));
  }

  @Override
  public void detachMulticast(QueuePair queuePair, long gidHi, long gidLo) {
    MulticastGroup group = endpoint.groups().find(gidHi, gidLo);
    if (group == null || !group.remove(endpoint.slotOf(queuePair.qpNum()))) {
      throw new VerbsException(
          "EINVAL", "queue pair " + queuePair.qpNum() + " is not attached to that group");
    }
    if (group.size() == 0) {
      endpoint.groups().drop(group);
      port.leaveMulticast(gidHi, gidLo);
    }
  }

  @Override
  public PortAttributes port() {
    return new PortAttributes(
        port.localGidHi(),
        port.localGidLo(),
        port.localUdpPort(),
        activeMtuBytes,
        port.capabilities().mtuBytes(),
        true);
  }
}
