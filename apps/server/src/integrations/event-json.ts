import type { integration, JsonOf } from '@hilltop/protobuf';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';

interface Payloads {
  up: JsonOf<typeof integration.UplinkEvent>;
  join: JsonOf<typeof integration.JoinEvent>;
  ack: JsonOf<typeof integration.AckEvent>;
  txack: JsonOf<typeof integration.TxAckEvent>;
  status: JsonOf<typeof integration.StatusEvent>;
  error: JsonOf<typeof integration.ErrorEvent>;
  location: JsonOf<typeof integration.LocationEvent>;
  integration: JsonOf<typeof integration.IntegrationEvent>;
}

/** The payload of an event as it was stored; identifiers and bytes are base64. */
export type EventJson<Type extends EventType> = Payloads[Type];
export type RXInfoJson = Payloads['up']['rxInfo'][number];

/** An event with its payload, discriminated by `type`. */
export type ReadEvent<Type extends EventType = EventType> = {
  [T in Type]: { readonly type: T; readonly payload: EventJson<T> };
}[Type];

/** For adapters that deliver only events of devices. */
export function readEvent({ type, json }: LoggedEvent): ReadEvent {
  return { type: type as EventType, payload: JSON.parse(json) as never };
}

/** Base64 to lower-case hexadecimal digits; '' for nothing. */
export function hexOf(base64: string | null | undefined): string {
  return base64 ? Uint8Array.fromBase64(base64).toHex() : '';
}

/** The object that a codec has decoded; undefined without one. */
export function objectOf({ objectJSON }: { readonly objectJSON: string }): unknown {
  return objectJSON === '' ? undefined : JSON.parse(objectJSON);
}

/** The reception with the highest SNR, then the highest RSSI. */
export function bestReception(rxInfo: readonly RXInfoJson[]): RXInfoJson | undefined {
  return rxInfo.reduce<RXInfoJson | undefined>((best, reception) => {
    if (!best || reception.loRaSNR > best.loRaSNR) return reception;
    return reception.loRaSNR === best.loRaSNR && reception.rssi > best.rssi ? reception : best;
  }, undefined);
}
