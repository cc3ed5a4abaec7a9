/** Gateway statistics: the `stat` object of a PUSH_DATA to gateway stats, and back for the simulator. */
import type { common } from '@hilltop/protobuf';
import { create, gw, parseTimestamp } from '@hilltop/protobuf';
import { JsonFields, uint32 } from '../json-fields.ts';
import { limitedMetaData, validLocation } from '../reported.ts';
import type { PushData } from './packet.ts';

/** Counters of one report interval (`ackr` in percent, `time` as `2006-01-02 15:04:05 GMT`). */
export type Stat = {
  readonly time: string;
  readonly lati?: number;
  readonly long?: number;
  readonly alti?: number;
  readonly rxnb: number;
  readonly rxok: number;
  readonly rxfw: number;
  readonly ackr: number;
  readonly dwnb: number;
  readonly txnb: number;
  readonly meta?: Readonly<Record<string, string>>;
};

/** The statistics of a datagram; null when it contains none. @throws PacketError */
export function statsOf(packet: PushData): gw.GatewayStats | null {
  if (packet.stat === undefined) return null;
  const fields = new JsonFields(packet.stat, 'stat');
  return create(gw.GatewayStats, {
    gatewayID: Uint8Array.fromHex(packet.gatewayID),
    time: parseStatTime(fields.text('time', '')),
    location: readLocation(fields),
    rxPacketsReceived: readCount(fields, 'rxnb'),
    rxPacketsReceivedOK: readCount(fields, 'rxok'),
    txPacketsReceived: readCount(fields, 'dwnb'),
    txPacketsEmitted: readCount(fields, 'txnb'),
    metaData: limitedMetaData(fields.texts('meta')),
  });
}

/** Some forwarders miscount and send negative numbers: these count as 0. */
function readCount(fields: JsonFields, name: string): number {
  return Math.max(0, fields.integer(name, { min: -uint32.max, max: uint32.max }, 0));
}

function readLocation(fields: JsonFields): common.Location | null {
  return validLocation({
    latitude: fields.number('lati', 0),
    longitude: fields.number('long', 0),
    altitude: fields.number('alti', 0),
  });
}

function parseStatTime(text: string): Date | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:GMT|UTC)$/.exec(text) ?? [];
  return parseTimestamp(`${day}T${time}Z`) ?? null;
}

/** The `time` of a stat object. */
export function formatStatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} GMT`;
}
