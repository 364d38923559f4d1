// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./roce4j doctor}: what this machine lacks for the traffic that is wanted, each with its
 * cause and its cure.
 *
 * <p>Entry class: {@link io.roce4j.harness.doctor.DoctorCommand}. A check looks at one thing and
 * gives one {@link io.roce4j.harness.doctor.Finding}; the command only collects and prints.
 */
package io.roce4j.harness.doctor;
