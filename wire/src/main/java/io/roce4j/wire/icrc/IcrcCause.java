// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

/** The known ways to get an ICRC wrong, as {@link IcrcExplainer} finds them [FC-05]. */
public enum IcrcCause {
  /** The eight bytes 0xFF in front, which stand for the LRH, are missing. */
  PREFIX_MISSING("the eight leading FF bytes are missing"),

  /** BTH byte 4 (FECN, BECN, reserved) was taken as sent instead of 0xFF. */
  BTH_BYTE_NOT_MASKED("BTH byte 4 was not set to FF"),

  /** Fields of the IP or UDP header were taken as sent instead of ones. */
  HEADER_FIELDS_NOT_MASKED("IP/UDP fields were not set to FF"),

  /** The register was not inverted at the end. */
  NOT_INVERTED("the final inversion is missing"),

  /** The bytes stand in the wrong order. */
  BYTES_REVERSED("the four bytes are reversed"),

  /** The pad bytes were left out [FC-01]. */
  PAD_NOT_COVERED("the pad bytes were left out"),

  /** The four bytes are zero: none was computed. */
  ZERO("no ICRC was computed: the four bytes are zero"),

  /** Right for another IPv4 identification than the header has. */
  IDENTIFICATION("it was computed for another IPv4 identification"),

  /** Right for another UDP source port than the header has. */
  SOURCE_PORT("it was computed for another UDP source port (translated on the way?)"),

  /** One byte was changed after the ICRC was computed. */
  ONE_BYTE_CHANGED("one byte was changed on the way"),

  /** Nothing known explains it: more than one byte differs. */
  CORRUPTED("bytes were changed on the way, or the sender computes it in an unknown manner");

  private final String text;

  IcrcCause(String text) {
    this.text = text;
  }

  /** {@return the cause in a few words} */
  public String text() {
    return text;
  }
}
