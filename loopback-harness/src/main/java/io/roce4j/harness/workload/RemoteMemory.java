// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

/**
 * What the process at the other end of a connection grants: where to read, where to write. Numbers
 * from the peer; wrong ones end in a remote access error, they address nothing here.
 *
 * @param patternAddress where the pattern starts at the peer
 * @param patternRkey for reading it
 * @param targetAddress where the slots for WRITEs start
 * @param targetRkey for writing to them
 */
public record RemoteMemory(
    long patternAddress, int patternRkey, long targetAddress, int targetRkey) {}
