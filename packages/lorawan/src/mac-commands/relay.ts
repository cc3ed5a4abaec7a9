import { bits, type Field, layout, uint } from './layout.ts';

/** MAC commands of relays (TS011-1.0.1). */

/** A number that is encoded as the difference to another. */
function shifted(field: Field<number>, toValue: (raw: number) => number, toRaw: (value: number) => number) {
  return {
    read: (payload: Uint8Array) => toValue(field.read(payload)),
    write: (payload: Uint8Array, name: string, value: number) => field.write(payload, name, toRaw(value)),
  };
}

const devAddr: Field<string> = {
  read: (payload) => uint(0, 4).read(payload).toString(16).padStart(8, '0'),
  write: (payload, name, value) => uint(0, 4).write(payload, name, Number.parseInt(value, 16)),
};
const worSNR = shifted(
  bits(4, 4, 0),
  (raw) => raw - 20,
  (snr) => snr + 20,
);
const worRSSI = shifted(
  bits(4, 11, 5),
  (raw) => -15 - raw,
  (rssi) => -15 - rssi,
);

export const relayUplink = {
  NotifyNewEndDeviceReq: { cid: 0x46, layout: layout(6, { devAddr, worSNR, worRSSI }) },
} as const;
