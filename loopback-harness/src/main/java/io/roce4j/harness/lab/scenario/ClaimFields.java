// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import java.util.ArrayList;
import java.util.List;

/** Reads the {@code claims} of a scenario. */
final class ClaimFields {
  private ClaimFields() {}

  static List<Claim> read(Section root, List<Scheme> schemes) {
    List<String> names = schemes.stream().map(Scheme::name).toList();
    List<Claim> claims = new ArrayList<>();
    for (Section fields : root.sections("claims")) {
      claims.add(claim(fields, names));
    }
    return claims;
  }

  private static Claim claim(Section fields, List<String> schemes) {
    String scheme = fields.oneOf("scheme", null, schemes);
    Metric metric = Metric.of(fields.oneOf("metric", null, Metric.labels()));
    boolean isLeast = fields.has("atLeast");
    if (isLeast == fields.has("atMost")) {
      throw fields.fault("needs either atLeast or atMost");
    }
    double value = fields.number(isLeast ? "atLeast" : "atMost", null, -1e18, 1e18);
    String than = fields.has("timesThatOf") ? fields.oneOf("timesThatOf", null, schemes) : null;
    fields.end();
    Claim.Bound bound = isLeast ? Claim.Bound.AT_LEAST : Claim.Bound.AT_MOST;
    return new Claim(scheme, metric, bound, value, than);
  }
}
