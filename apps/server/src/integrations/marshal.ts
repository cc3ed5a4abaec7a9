import { fromJson, toBinary } from '@hilltop/protobuf';
import { isOfDevice, type LoggedEvent } from '../event-log/event-log.ts';
import { eventMessages } from '../events/event.ts';
import type { DeliveryJob } from './integration.ts';
import { jsonV3 } from './json-v3.ts';

/** The format of an event for receivers. */
export type Marshaler = 'JSON' | 'PROTOBUF' | 'JSON_V3';

export interface Marshaled {
  readonly body: string | Uint8Array;
  readonly contentType: 'application/json' | 'application/octet-stream';
}

/** Writes an event; one of a gateway as JSON, whatever the format. Only JSON_V3 looks up names of gateways. */
export type Marshal = (
  event: LoggedEvent,
  marshaler: Marshaler,
  job: Pick<DeliveryJob<unknown>, 'gatewayNames'>,
) => Promise<Marshaled>;

/** `withEventID` adds the id of the event to the content: as field `eventID`, in protobuf as field 1000. */
export function createMarshal({ withEventID }: { withEventID: boolean }): Marshal {
  return async (event, marshaler, { gatewayNames }) => {
    const isDevice = isOfDevice(event);
    if (isDevice && marshaler === 'PROTOBUF') {
      const type = eventMessages[event.type];
      const bytes = toBinary(type, fromJson(type, JSON.parse(event.json)));
      const body = withEventID ? Buffer.concat([bytes, eventIDField(event.id)]) : bytes;
      return { body, contentType: 'application/octet-stream' };
    }
    const text = isDevice && marshaler === 'JSON_V3' ? await jsonV3(event, gatewayNames) : event.json;
    const body = withEventID ? `${text.slice(0, -1)},"eventID":${JSON.stringify(event.id)}}` : text;
    return { body, contentType: 'application/json' };
  };
}

/** Field 1000 of wire type 2: the tag is 8002 as a varint; ids are shorter than 128 bytes. */
function eventIDField(id: string): Uint8Array {
  const text = Buffer.from(id);
  return Buffer.concat([Uint8Array.of(0xc2, 0x3e, text.length), text]);
}
