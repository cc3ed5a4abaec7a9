/** The messages of a station on its data connection: one JSON object in each text message. */
import type { gw } from '@hilltop/protobuf';
import { JsonFields } from '../json-fields.ts';
import { PacketError } from '../packet-error.ts';
import { limitedMetaData } from '../reported.ts';
import type { StationRates } from './data-rates.ts';
import { readEUI } from './eui.ts';
import { parseExact } from './exact-json.ts';
import { frameReaders, readUplink } from './uplink.ts';

export type StationMessage =
  | { readonly type: 'version'; readonly protocol: number; readonly about: Readonly<Record<string, string>> }
  | { readonly type: 'uplink'; readonly frame: gw.UplinkFrame }
  /** A downlink was sent; `frequency` in Hz identifies the window, null when the station does not name it. */
  | { readonly type: 'dntxed'; readonly diid: string; readonly frequency: number | null }
  /** The station requests GPS time at its own time `txtime` (microseconds). */
  | { readonly type: 'timesync'; readonly txtime: bigint }
  /** Known but unused, or of a later protocol. */
  | { readonly type: 'other' };

/** @throws PacketError */
export function readStationMessage(
  text: string,
  station: { gatewayID: Uint8Array; rates: StationRates },
): StationMessage {
  const fields = new JsonFields(parseExact(text), 'message');
  const type = fields.text('msgtype');
  const readFrame = Object.hasOwn(frameReaders, type) ? frameReaders[type] : undefined;
  if (readFrame) return { type: 'uplink', frame: readUplink(fields, readFrame, station) };
  switch (type) {
    case 'version': {
      const about = ['station', 'firmware', 'package', 'model', 'features'] as const;
      const versionTexts = about.map((name) => [name, fields.text(name, '')] as const);
      return {
        type,
        protocol: fields.integer('protocol', { min: 0, max: 1000 }, 0),
        about: limitedMetaData(Object.fromEntries(versionTexts.filter(([, text]) => text !== ''))),
      };
    }
    case 'dntxed':
      return { type, diid: String(fields.value('diid')), frequency: frequencyOf(fields) };
    case 'timesync':
      return { type, txtime: fields.int64('txtime') };
    default:
      return { type: 'other' };
  }
}

function frequencyOf(fields: JsonFields): number | null {
  const frequency = fields.value('Freq');
  return typeof frequency === 'number' ? frequency : null;
}

/** The EUI in the request of a station for its address (`/router-info`). @throws PacketError */
export function readRouterQuery(text: string): string {
  const fields = new JsonFields(parseExact(text), 'query');
  if (!fields.has('router')) throw new PacketError('field', 'router must be an EUI', 'router');
  return readEUI(fields.value('router'), 'router');
}
