import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ReceivedAirtime, SentAirtime } from '@hilltop/network-server';

const hourUs = 3_600_000_000;

/** `limitUs`: the most of an hour. */
export interface SentInSubBand {
  us: number;
  limitUs: number;
}

/** The time on air of one gateway in one hour, in microseconds. Sums of several hours have the same form. */
export class AirtimeHour {
  ownUs = 0;
  foreignUs = 0;
  unreadableUs = 0;
  sentUs = 0;
  unreadableFrames = 0;
  /** By frequency and data-rate, see `channelKey`. */
  readonly channels = new Map<string, [ownUs: number, foreignUs: number]>();
  /** Foreign frames by NetID; '' for those without one, and for networks beyond the limit. */
  readonly networks = new Map<string, number>();
  /** Own frames by DevEUI, the loudest ones. */
  readonly devices = new Map<string, number>();
  /** What was sent in sub-bands with a limit, by their start in Hz. */
  readonly subBands = new Map<number, SentInSubBand>();

  addReceived({ frequency, dr, airtimeUs, sender }: ReceivedAirtime): void {
    if (sender.kind === 'unreadable') {
      this.unreadableUs += airtimeUs;
      this.unreadableFrames += 1;
      return;
    }
    const isOwn = sender.kind === 'own';
    this.#addChannel(channelKey(frequency, dr), isOwn ? airtimeUs : 0, isOwn ? 0 : airtimeUs);
    if (isOwn) {
      this.ownUs += airtimeUs;
      if (sender.devEUI) add(this.devices, sender.devEUI, airtimeUs);
    } else {
      this.foreignUs += airtimeUs;
      add(this.networks, sender.netID ?? '', airtimeUs);
    }
    if (this.devices.size > limits.counted) keepLargest(this.devices, limits.open.devices);
    if (this.networks.size > limits.counted) keepLargest(this.networks, limits.open.networks, '');
  }

  addSent({ subBand, airtimeUs }: SentAirtime): void {
    this.sentUs += airtimeUs;
    if (subBand) this.#addSubBand(subBand.from, { us: airtimeUs, limitUs: subBand.dutyCycle * hourUs });
  }

  addHour(other: AirtimeHour): void {
    this.ownUs += other.ownUs;
    this.foreignUs += other.foreignUs;
    this.unreadableUs += other.unreadableUs;
    this.sentUs += other.sentUs;
    this.unreadableFrames += other.unreadableFrames;
    for (const [key, [own, foreign]] of other.channels) this.#addChannel(key, own, foreign);
    for (const [netID, us] of other.networks) add(this.networks, netID, us);
    for (const [devEUI, us] of other.devices) add(this.devices, devEUI, us);
    for (const [from, sent] of other.subBands) this.#addSubBand(from, sent);
  }

  /** Forgets the quietest devices, and adds up the quietest networks. */
  trim(isOver: boolean): void {
    const { devices, networks } = isOver ? limits.over : limits.open;
    keepLargest(this.devices, devices);
    keepLargest(this.networks, networks, '');
  }

  /** The largest share of a limit that was sent. */
  fullest(): number {
    return Math.max(0, ...this.subBands.values().map(({ us, limitUs }) => us / limitUs));
  }

  #addSubBand(from: number, { us, limitUs }: SentInSubBand): void {
    const before = this.subBands.get(from)?.us ?? 0;
    this.subBands.set(from, { us: before + us, limitUs });
  }

  #addChannel(key: string, own: number, foreign: number): void {
    let sums = this.channels.get(key);
    // Forged frames may name any frequency.
    if (!sums && this.channels.size >= limits.channels) {
      key = channelKey(0, null);
      sums = this.channels.get(key);
    }
    if (!sums) this.channels.set(key, (sums = [0, 0]));
    sums[0] += own;
    sums[1] += foreign;
  }
}

/** The most entries of an hour: while it is counted in memory, in its row, and in its row when the hour is over. */
const limits = {
  counted: 512,
  channels: 128,
  open: { devices: 64, networks: 32 },
  over: { devices: 12, networks: 12 },
} as const;

/** `dr` is null where the region has no such data-rate; frequency 0 stands for all others. */
const channelKey = (frequency: number, dr: number | null): string => `${frequency}/${dr ?? ''}`;

export function channelOf(key: string): { frequency: number; dr: number | null } {
  const [frequency = '', dr = ''] = key.split('/');
  return { frequency: Number(frequency), dr: dr === '' ? null : Number(dr) };
}

export function packHour(hour: AirtimeHour): Uint8Array {
  const { unreadableFrames, channels, networks, devices, subBands } = hour;
  const packed: PackedHour = [unreadableFrames, [...channels], [...networks], [...devices], [...subBands]];
  return deflateRawSync(JSON.stringify(packed));
}

/** The totals of a row are in its columns. */
export function unpackHour(row: {
  own_us: number;
  foreign_us: number;
  unreadable_us: number;
  sent_us: number;
  details: Uint8Array;
}): AirtimeHour {
  const hour = new AirtimeHour();
  hour.ownUs = Number(row.own_us);
  hour.foreignUs = Number(row.foreign_us);
  hour.unreadableUs = Number(row.unreadable_us);
  hour.sentUs = Number(row.sent_us);
  const text = inflateRawSync(row.details, { maxOutputLength: 1_000_000 }).toString();
  const [unreadableFrames, channels, networks, devices, subBands] = JSON.parse(text) as PackedHour;
  hour.unreadableFrames = unreadableFrames;
  for (const [key, sums] of channels) hour.channels.set(key, sums);
  for (const [netID, us] of networks) hour.networks.set(netID, us);
  for (const [devEUI, us] of devices) hour.devices.set(devEUI, us);
  for (const [from, sent] of subBands) hour.subBands.set(from, sent);
  return hour;
}

type PackedHour = [
  unreadableFrames: number,
  channels: [string, [number, number]][],
  networks: [string, number][],
  devices: [string, number][],
  subBands: [number, SentInSubBand][],
];

function add<Key>(sums: Map<Key, number>, key: Key, us: number): void {
  sums.set(key, (sums.get(key) ?? 0) + us);
}

/** Keeps the entries with the largest sums; the others are added up under `rest`, if that is given. */
function keepLargest<Key>(sums: Map<Key, number>, most: number, rest?: Key): void {
  if (sums.size <= most) return;
  const inOrder = [...sums].filter(([key]) => key !== rest).sort(([, one], [, other]) => other - one);
  for (const [key, us] of inOrder.slice(most - (rest === undefined ? 0 : 1))) {
    sums.delete(key);
    if (rest !== undefined) add(sums, rest, us);
  }
}
