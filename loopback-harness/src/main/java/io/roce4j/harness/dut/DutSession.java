// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.verbs.VerbsException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Answers requests, one line each, for one client at a time. Nothing a line holds ends it: what
 * cannot be done is answered with an error. One thread.
 */
final class DutSession implements AutoCloseable {
  /** Bytes a line may have. */
  static final int LINE_BYTES_MAX = 16 << 20;

  private static final int NESTING_MAX = 64;

  /** Command whose every answer, a refusal too, tells the version of the conversation. */
  private static final String OPEN = "open";

  /** Version of the conversation, raised when a tool written to it would no longer fit. */
  private static final int PROTO = 1;

  private final ObjectMapper mapper = mapper();
  private final VerbTable verbs = new VerbTable();
  private final PrintWriter log;
  private final DutCapture capture;
  private DutEndpoint endpoint;

  /**
   * A session without an endpoint.
   *
   * @param log where faults of our own are told
   * @param capture sees the packets of every endpoint, or null
   */
  DutSession(PrintWriter log, DutCapture capture) {
    this.log = log;
    this.capture = capture;
    new EndpointVerbs(this).addTo(verbs);
    new MemoryVerbs(this).addTo(verbs);
    new CompletionVerbs(this).addTo(verbs);
    new SharedReceiveVerbs(this).addTo(verbs);
    new QueuePairVerbs(this).addTo(verbs);
    new AddressVerbs(this).addTo(verbs);
    new WorkVerbs(this).addTo(verbs);
    new MultipathVerbs(this).addTo(verbs);
    new CmVerbs(this).addTo(verbs);
  }

  private static ObjectMapper mapper() {
    JsonFactory factory =
        JsonFactory.builder()
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxStringLength(LINE_BYTES_MAX)
                    .maxNestingDepth(NESTING_MAX)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    return new ObjectMapper(factory)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        // An id of 1e400 goes back as the number it is.
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false);
  }

  /** The names of all commands. */
  Set<String> commands() {
    return verbs.names();
  }

  /** The endpoint that is open. */
  DutEndpoint endpoint() {
    if (endpoint == null) {
      throw DutException.invalid("no endpoint is open: open one first");
    }
    return endpoint;
  }

  boolean isOpen() {
    return endpoint != null;
  }

  void opened(DutEndpoint value) {
    endpoint = value;
    if (capture != null) {
      capture.begin(value.isLive());
      value.agent().port().tap(capture);
    }
  }

  /** Whether an endpoint is open that must be run between requests. */
  boolean isLive() {
    return endpoint != null && endpoint.isLive();
  }

  /** Runs a live endpoint; 0 when it found nothing to do. */
  int turn() {
    return endpoint.turn();
  }

  /**
   * Answers a line.
   *
   * @param line a request without its line end
   * @return the answer without a line end, UTF-8
   */
  byte[] answer(byte[] line) {
    ObjectNode answer = mapper.createObjectNode();
    answer.putNull("id");
    boolean isOpening = false;
    try {
      JsonNode request;
      try {
        request = parse(line);
      } catch (DutException | OutOfMemoryError e) {
        answer.set("id", LineId.of(line));
        throw e;
      }
      answer.set("id", LineId.of(request));
      isOpening = OPEN.equals(request.path("cmd").asText());
      answer.put("ok", true);
      if (isOpening) {
        answer.put("proto", PROTO);
      }
      carryOut(new Fields(request), answer);
    } catch (DutException e) {
      refuse(answer, e.error(), e.getMessage());
      if (e.hasBadWr()) {
        answer.put("badWr", e.badWr());
      }
    } catch (VerbsException e) {
      refuse(answer, e.errno(), e.getMessage());
    } catch (PortException e) {
      refuse(answer, "ENODEV", e.getMessage());
    } catch (OutOfMemoryError e) {
      refuse(answer, "ENOMEM", "not enough memory: " + e.getMessage());
    } catch (RuntimeException e) {
      log.println("dut: internal error, please report it with this trace");
      e.printStackTrace(log);
      refuse(answer, "EIO", "internal error: " + e);
    }
    if (isOpening) {
      // Again, where a refusal has taken it out.
      answer.put("proto", PROTO);
    }
    if (capture != null) {
      capture.flush();
    }
    return bytes(answer);
  }

  /** The answer to a line that is too long to be looked at. */
  byte[] answerTooLong() {
    ObjectNode answer = mapper.createObjectNode();
    answer.putNull("id");
    refuse(answer, DutException.BAD_JSON, "line of more than " + LINE_BYTES_MAX + " bytes");
    return bytes(answer);
  }

  /** The answer to a line that there was no memory to read. */
  byte[] answerNoMemory() {
    ObjectNode answer = mapper.createObjectNode();
    answer.putNull("id");
    refuse(answer, "ENOMEM", "not enough memory for the line");
    return bytes(answer);
  }

  private byte[] bytes(ObjectNode answer) {
    try {
      return mapper.writeValueAsBytes(answer);
    } catch (OutOfMemoryError e) {
      refuse(answer, "ENOMEM", "not enough memory for the answer");
      return answer.toString().getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer cannot be written", e);
    }
  }

  private static void refuse(ObjectNode answer, String error, String message) {
    JsonNode id = answer.get("id");
    answer.removeAll();
    answer.set("id", id);
    answer.put("ok", false);
    answer.put("error", error);
    answer.put("message", message);
  }

  private JsonNode parse(byte[] line) {
    try {
      // Decoded here: the parser would guess at UTF-16 and UTF-32, too.
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(line))
              .toString();
      JsonNode node = mapper.readTree(text);
      if (!node.isObject()) {
        throw new DutException(DutException.BAD_JSON, "a request is a JSON object in one line");
      }
      return node;
    } catch (CharacterCodingException e) {
      throw new DutException(DutException.BAD_JSON, "not UTF-8");
    } catch (JsonProcessingException e) {
      throw new DutException(DutException.BAD_JSON, e.getOriginalMessage().replaceAll("\\s+", " "));
    }
  }

  private void carryOut(Fields request, ObjectNode answer) {
    try {
      verbs.run(request.text("cmd"), request, answer);
    } finally {
      // After a failure too: part of a list may have been posted.
      if (endpoint != null) {
        endpoint.settle();
      }
    }
  }

  /** Closes the endpoint, if one is open. */
  @Override
  public void close() {
    if (endpoint != null) {
      endpoint.close();
      endpoint = null;
    }
  }
}
