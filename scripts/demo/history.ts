import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type DeviceDescription,
  distanceKm,
  isHeard,
  type NetworkPlan,
  type Random,
  sensorNamed,
  signalAt,
} from '@hilltop/simulator';

/**
 * Thirty days of made-up statistics for the charts of the demo: uplinks of each device and gateway, as the facts that the
 * server would have recorded. The server aggregates them like real ones.
 */
interface Fact {
  subject: string;
  at: number;
  counters: Record<string, number>;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const days = 30;
/** The server stores hourly statistics for eight days; older facts are daily. */
const hourlyDays = 8;
const channels = [
  867_100_000, 867_300_000, 867_500_000, 867_700_000, 867_900_000, 868_100_000, 868_300_000, 868_500_000,
];
/** Transmit power of devices in dBm, and the margin in dB between the mean SNR and the best one, which ADR uses. */
const power = 14;
const margin = 4;
const dataRates = [12, 11, 10, 9, 8, 7].map((spreadingFactor) => ({
  modulation: 'LORA' as const,
  spreadingFactor,
  bandwidth: 125,
}));

/** Writes the history to the embedded database while the server runs. */
export function writeHistory(data: string, facts: readonly Fact[]): void {
  const database = new DatabaseSync(join(data, 'hilltop.db'), { timeout: 10_000 });
  try {
    const insert = database.prepare('insert into metric_fact (subject, at, counters) values (?, ?, ?)');
    database.exec('begin immediate');
    for (const { subject, at, counters } of facts) insert.run(subject, at, JSON.stringify(counters));
    database.exec('commit');
  } finally {
    database.close();
  }
}

type Counters = Fact['counters'];

/** The facts until the hour in which the demo starts. */
export function historyOf({ gateways, devices }: NetworkPlan, nowMs: number, random: Random): Fact[] {
  const slots = slotsBefore(nowMs);
  const arrived = new Map(gateways.map(({ gatewayID }) => [gatewayID, slots.map((): Counters => ({}))]));
  const facts = devices.flatMap((device) => {
    const near = gateways
      .map(({ gatewayID, ...site }) => ({
        gatewayID,
        km: distanceKm({ latitude: 0, longitude: 0, ...device }, site),
      }))
      .sort((a, b) => a.km - b.km);
    return deviceHistory(device, near[0]!.km, slots, random).map((fact) => {
      for (const { gatewayID } of near.slice(0, 1 + Math.floor(random() * 3)))
        receiveFrame(arrived.get(gatewayID)![slots.findIndex(({ at }) => at === fact.at)]!, fact.counters);
      return fact;
    });
  });
  for (const [gatewayID, counted] of arrived)
    for (const [index, counters] of counted.entries()) {
      if (counters['rx_ok_count'] === undefined) continue;
      answer(counters, random);
      facts.push({ subject: `gateway:${gatewayID}`, at: slots[index]!.at, counters });
    }
  return facts;
}

/** A device sends at its interval, except for one or two silent days. A device with a wrong key only fails to join. */
function deviceHistory(device: DeviceDescription, km: number, slots: readonly Slot[], random: Random): Fact[] {
  const { intervalSeconds } = sensorNamed(device.sensor)!;
  const of = { km, lossDb: device.lossDb ?? 0, random };
  const usual = usualDataRate(of);
  const silent = random() < 0.15 ? Math.floor(random() * slots.length) : -2;
  return slots.flatMap(({ at, hours }, index) => {
    const count = Math.round(((hours * 3600) / intervalSeconds) * (0.85 + 0.15 * random()));
    if (index === silent || index === silent + 1 || count === 0) return [];
    const failed = { error_OTAA: Math.max(1, Math.round(count / 10)) };
    const counters = device.wrongKey ? failed : uplinks(count, usual, of);
    return [{ subject: `device:${device.devEUI}`, at, counters }];
  });
}

interface Radio {
  km: number;
  lossDb: number;
  random: Random;
}

function uplinks(count: number, usual: number, of: Radio): Counters {
  const { rssi, snr } = meanSignal(usual, Math.min(count, 8), of);
  const counters: Counters = { rx_count: count, gw_rssi_sum: rssi * count, gw_snr_sum: snr * count };
  const slower = Math.round(count * 0.1 * of.random());
  add(counters, `rx_dr_${usual}`, count - slower);
  add(counters, `rx_dr_${Math.max(0, usual - 1)}`, slower);
  spread(counters, 'rx_freq_', channels, of.random);
  if (of.random() < 0.02) counters['error_UPLINK_CODEC'] = 1;
  return counters;
}

/** Counts the uplinks of a device for a gateway. */
function receiveFrame(gateway: Counters, { rx_count: count = 0, ...counters }: Counters): void {
  add(gateway, 'rx_ok_count', count);
  for (const [name, value] of Object.entries(counters)) if (/^rx_(freq|dr)_/.test(name)) add(gateway, name, value);
}

/** Adds received noise and downlinks, a few of which are too late or collide. */
function answer(counters: Counters, random: Random): void {
  const received = counters['rx_ok_count']!;
  counters['rx_count'] = received + Math.round(received * 0.05 * random());
  const count = Math.round(received * (0.03 + 0.04 * random()));
  const late = Math.round(count * 0.06 * random());
  const met = Math.round(count * 0.04 * random());
  const sent = count - late - met;
  if (count === 0) return;
  Object.assign(counters, { tx_count: count, tx_ok_count: sent });
  add(counters, 'tx_status_OK', sent);
  add(counters, 'tx_status_TOO_LATE', late);
  add(counters, 'tx_status_COLLISION_PACKET', met);
  spread(counters, 'tx_freq_', [...channels.slice(5), 869_525_000], random);
  spread(counters, 'tx_dr_', [0, 3, 5], random);
}

interface Slot {
  at: number;
  hours: number;
}

/** Days in the time zone of the server, dated at noon, and the hours of the last two days. */
function slotsBefore(nowMs: number): Slot[] {
  const today = new Date(nowMs).setHours(0, 0, 0, 0);
  const hourly = today - (hourlyDays - 1) * dayMs;
  const older = Array.from({ length: days - hourlyDays + 1 }, (_, index) => {
    const at = new Date(hourly);
    at.setDate(at.getDate() - (days - hourlyDays + 1) + index);
    return { at: at.setHours(12), hours: 24 };
  });
  const hours = Array.from({ length: Math.floor((nowMs - hourly) / hourMs) }, (_, index) => ({
    at: hourly + index * hourMs + hourMs / 2,
    hours: 1,
  }));
  return [...older, ...hours];
}

/** The highest data rate that the link permits, as ADR would choose it. */
function usualDataRate({ km, lossDb, random }: Radio): number {
  const fits = dataRates.findLastIndex((modulation) => {
    const { rssi, snr } = signalAt({ power, modulation }, km, { lossDb, random });
    return isHeard({ rssi, snr: snr - margin }, modulation);
  });
  return Math.max(0, fits);
}

function meanSignal(dataRate: number, samples: number, { km, lossDb, random }: Radio) {
  const modulation = dataRates[dataRate]!;
  const signals = Array.from({ length: samples }, () => signalAt({ power, modulation }, km, { lossDb, random }));
  const mean = (of: 'rssi' | 'snr') => signals.reduce((sum, signal) => sum + signal[of], 0) / samples;
  return { rssi: mean('rssi'), snr: mean('snr') };
}

/** Distributes a count over frequencies or data rates about evenly. */
function spread(counters: Counters, prefix: string, names: readonly number[], random: Random): void {
  const weights = names.map(() => 0.5 + random());
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const count = counters[prefix.startsWith('rx') ? 'rx_count' : 'tx_ok_count']!;
  let left = count;
  for (const [index, name] of names.entries()) {
    const share = index === names.length - 1 ? left : Math.min(left, Math.round((count * weights[index]!) / all));
    add(counters, `${prefix}${name}`, share);
    left -= share;
  }
}

function add(counters: Counters, name: string, value: number): void {
  if (value > 0) counters[name] = (counters[name] ?? 0) + value;
}
