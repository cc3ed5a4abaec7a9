/** Floods of unknown senders and faulty devices, by name. */
import { randomBytes, randomInt } from 'node:crypto';
import { encodePacket } from '@hilltop/gateway-protocols';
import type { Field } from './field.ts';

/** A flood of `total` datagrams at `perSecond`; `index` counts them from 0. */
export interface Flood {
  perSecond: number;
  total: number;
  /** Number of source addresses, used round-robin; 1 when not given. */
  addresses?: number;
  /** Whether the source is the address of the gateways, as behind a router or proxy. */
  fromGateways?: true;
  datagram: (field: Field, index: number) => Uint8Array;
}

const rxpk = (data: Uint8Array, fields: object = {}) => ({
  tmst: randomInt(2 ** 32),
  freq: 868.1,
  chan: 0,
  rfch: 0,
  stat: 1,
  modu: 'LORA',
  datr: 'SF7BW125',
  codr: '4/5',
  rssi: -60,
  lsnr: 7,
  size: data.length,
  data: data.toBase64(),
  ...fields,
});

function push(gatewayID: string, index: number, frames: readonly object[], stat?: object): Uint8Array {
  const token = index % 0x10000;
  return encodePacket({ type: 'PUSH_DATA', version: 2, token, gatewayID, rxpk: frames, stat });
}

/** The simulated gateway reports its counters with its statistics. */
const statEvery = 150;

/** A gateway that receives the devices all the time. */
const busyGateway = ({ gateways }: Field, index: number) => gateways[index % gateways.length]!.gatewayID;

const longestDatagram = 65_507;

const registered = ({ ground }: Field) => ground.gatewayIDs.at(-1)!;

/** A gateway pulls more often than the server forgets its address. */
const pullEvery = 5000;

/** A frame, or now and then the PULL_DATA by which the sender is the gateway and not a stranger in its name. */
function pullingNow(field: Field, index: number, frame: () => Uint8Array): Uint8Array {
  const gatewayID = registered(field);
  if (index % pullEvery > 0) return push(gatewayID, index, [rxpk(frame())]);
  return encodePacket({ type: 'PULL_DATA', version: 2, token: index % 0x10000, gatewayID });
}

/** An unconfirmed data uplink with a wrong MIC. */
function forged(devAddr: string, fCnt: number): Uint8Array {
  const head = Uint8Array.of(0x40, ...Uint8Array.fromHex(devAddr).reverse(), 0, fCnt & 0xff, fCnt >>> 8, 1);
  return Uint8Array.from([...head, ...randomBytes(12)]);
}

/** A join-request for this device with a wrong MIC. */
const forgedJoin = (devEUI: string) =>
  Uint8Array.from([0, ...new Uint8Array(8), ...Uint8Array.fromHex(devEUI).reverse(), ...randomBytes(6)]);

/** The device that does not send during the flood. Its stored events must remain. */
export const silentDevice = ({ devices }: Field) => devices[0]!;

/** The EUI of an unregistered device. */
const replayed = forged('00000001', 1);

export const floods = {
  'made-up frequencies of a registered gateway': {
    perSecond: 150,
    total: 1500,
    datagram: (field, index) =>
      index % statEvery === statEvery - 1
        ? push(registered(field), index, [], { time: '2026-11-22 12:00:00 GMT', rxnb: 1, rxok: 1, rxfw: 1 })
        : push(
            registered(field),
            index,
            Array.from({ length: 100 }, () => rxpk(randomBytes(14), { freq: randomInt(1e6, 999e6) / 1e6 })),
          ),
  },
  'guessed TX_ACK from elsewhere': {
    perSecond: 15_000,
    total: 0x10000,
    datagram: ({ gateways }, token) =>
      encodePacket({
        type: 'TX_ACK',
        version: 2,
        token,
        gatewayID: gateways[token % 3]!.gatewayID,
        error: '',
        warn: '',
      }),
  },
  'forged frames on a known address': {
    perSecond: 500,
    total: 5000,
    datagram: (field, index) =>
      push(registered(field), index, [rxpk(forged(silentDevice(field).session!.devAddr, index))]),
  },
  'unknown gateways': {
    perSecond: 5000,
    total: 50_000,
    datagram: (_field, index) => push(randomBytes(8).toString('hex'), index, [rxpk(randomBytes(14))]),
  },
  'forged joins': {
    perSecond: 500,
    total: 5000,
    datagram: (field, index) => push(registered(field), index, [rxpk(forgedJoin(field.devices[2]!.devEUI))]),
  },
  'join-requests of made-up devices': {
    perSecond: 10_000,
    total: 100_000,
    datagram: (field, index) => push(registered(field), index, [rxpk(forgedJoin(randomBytes(8).toString('hex')))]),
  },
  'made-up DevEUIs from where a registered gateway pulls': {
    perSecond: 10_000,
    total: 100_000,
    datagram: (field, index) => pullingNow(field, index, () => forgedJoin(randomBytes(8).toString('hex'))),
  },
  'made-up DevAddrs from where a registered gateway pulls': {
    perSecond: 10_000,
    total: 100_000,
    datagram: (field, index) => pullingNow(field, index, () => forged(randomBytes(4).toString('hex'), index)),
  },
  'three times too many uplinks': {
    perSecond: 15_000,
    total: 75_000,
    datagram: (field, index) => push(registered(field), index, [rxpk(forged('fefefefe', index))]),
  },
  'forged frames in the name of busy gateways': {
    perSecond: 5000,
    total: 50_000,
    datagram: (field, index) =>
      push(busyGateway(field, index), index, [rxpk(forged(silentDevice(field).session!.devAddr, index))]),
  },
  'forged frames in the name of busy gateways from 200 addresses': {
    perSecond: 5000,
    total: 50_000,
    addresses: 200,
    datagram: (field, index) =>
      push(busyGateway(field, index), index, [rxpk(forged(silentDevice(field).session!.devAddr, index))]),
  },
  'forged frames from the address of busy gateways': {
    perSecond: 5000,
    total: 50_000,
    fromGateways: true,
    datagram: (field, index) =>
      push(busyGateway(field, index), index, [rxpk(forged(silentDevice(field).session!.devAddr, index))]),
  },
  'PULL_DATA in the name of busy gateways': {
    perSecond: 5000,
    total: 50_000,
    addresses: 200,
    datagram: (field, token) =>
      encodePacket({ type: 'PULL_DATA', version: 2, token: token % 0x10000, gatewayID: busyGateway(field, token) }),
  },
  'PULL_DATA of made-up gateways': {
    perSecond: 5000,
    total: 50_000,
    addresses: 200,
    datagram: (_field, token) =>
      encodePacket({
        type: 'PULL_DATA',
        version: 2,
        token: token % 0x10000,
        gatewayID: randomBytes(8).toString('hex'),
      }),
  },
  'the longest datagrams': {
    perSecond: 500,
    total: 5000,
    datagram: (field, index) =>
      push(busyGateway(field, index), index, [{ ...rxpk(randomBytes(14)), more: 'x'.repeat(longestDatagram - 300) }]),
  },
  'one frame again and again': {
    perSecond: 5000,
    total: 50_000,
    datagram: (field, index) =>
      push(busyGateway(field, index), index, [{ ...rxpk(replayed), tmst: index, freq: 868.1 }]),
  },
} as const satisfies Record<string, Flood>;

export type FloodName = keyof typeof floods;
