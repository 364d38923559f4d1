// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.device;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.ReportOption;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.ContextSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import org.agrona.concurrent.SystemNanoClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./roce4j devinfo}: opens an endpoint and says what it is. */
@Command(
    name = "devinfo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What ibv_devinfo and rdma link would say of an endpoint of this host.",
      "Opens it with the options given: limits, MTU, GIDs, the port and what it can do."
    })
public final class DevinfoCommand implements Subcommand {
  @Mixin private PortOptions options = new PortOptions();

  @Mixin private ReportOption report = new ReportOption();

  /** Used by picocli. */
  public DevinfoCommand() {}

  @Override
  public Integer call() {
    PortSettings settings = options.settings();
    try (JsonReport json = report.open();
        DatagramPort port = Ports.open(options.portName(), settings).port();
        EndpointAgent agent =
            EndpointAgent.open(new ContextSettings(), port, SystemNanoClock.INSTANCE)) {
      LocalInterface link = LocalInterface.of(settings.bindAddress());
      DeviceReport device =
          new DeviceReport(
              agent.context().deviceAttributes(),
              agent.context().queryPort(),
              port.capabilities(),
              link,
              Arrays.stream(new ContextSettings().pkeys()).boxed().toList(),
              GidEntry.table(settings.bindAddress(), link.name()));
      PrintWriter text = report.text();
      device.print(text);
      text.flush();
      json.write(device.json());
      return ExitCode.GOOD;
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IOException e) {
      throw ToolException.machine("the interfaces of this host cannot be read: " + e, e);
    }
  }
}
