import type { GatewaySignSource } from './tables.ts';

/** What the rule needs to know of a gateway. */
export interface GatewayLife {
  readonly source: GatewaySignSource | null;
  /** Why its link ended, in words; null while it is not known to have ended. */
  readonly linkEnd: string | null;
  /** How often it sends statistics; null or 0 without a gateway-profile. */
  readonly statsIntervalMs: number | null;
}

const usualWindowMs = 90_000;
/** Only statistics are known of a gateway of a remote network server, and its forwarder may send them this rarely. */
const remoteWindowMs = 300_000;
const missedIntervals = 3;

/** How long nothing may be heard of a gateway that is online. A link that has ended gets no statistics any more. */
export function onlineWindowMs({ source, linkEnd, statsIntervalMs }: GatewayLife): number {
  const least = source === 'remote' ? remoteWindowMs : usualWindowMs;
  return linkEnd === null ? Math.max(least, missedIntervals * (statsIntervalMs ?? 0)) : least;
}

const silences: Readonly<Record<GatewaySignSource, string>> = {
  'semtech-udp': 'no PULL_DATA',
  'basics-station': 'no message of the station',
  mqtt: 'no MQTT message',
  remote: 'no statistics',
};

/** Why a gateway counts as offline, in words. */
export function outageReason(life: GatewayLife): string {
  if (life.linkEnd !== null) return life.linkEnd;
  const silence = life.source === null ? 'nothing heard' : silences[life.source];
  return `${silence} for ${onlineWindowMs(life) / 1000} s`;
}
