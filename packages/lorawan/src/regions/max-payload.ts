import { ruledMacVersion } from './mac-versions.ts';
import type { Region } from './region.ts';

/** m: largest MACPayload in bytes; n: largest FRMPayload when FOpts is empty. */
export interface MaxPayload {
  m: number;
  n: number;
}

const revisions = ['A', 'B', 'RP002-1.0.0', 'RP002-1.0.1', 'RP002-1.0.2', 'RP002-1.0.3'];
const headerAndPort = 8;

/**
 * Payload limits of a data-rate by the MAC version and regional parameters revision of the device-profile, or null when the data-rate
 * is not allowed. An unknown version or revision uses the newest table, which is the one of 1.0.4 with the last revision.
 */
export function maxPayloadSize(
  region: Region,
  macVersion: string,
  regParamsRevision: string,
  dataRate: number,
  { repeater = false, dwell = false }: { repeater?: boolean; dwell?: boolean } = {},
): MaxPayload | null {
  const version = ruledMacVersion(macVersion);
  const revision = revisions.includes(regParamsRevision) ? regParamsRevision : 'RP002-1.0.3';
  const rule = region.maxPayload.find(
    (candidate) =>
      candidate.repeater === repeater &&
      (candidate.dwell ?? dwell) === dwell &&
      (candidate.macVersions?.includes(version) ?? true) &&
      (candidate.revisions?.includes(revision) ?? true),
  );
  const m = rule?.sizes[dataRate];
  if (m === undefined || m === null) return null;
  return { m, n: Math.max(m - headerAndPort, 0) };
}
