import { type NetworkPlan, type Random, sensorNamed } from '@hilltop/simulator';
import { writeSeries } from '../../apps/server/src/testing/write-series.ts';

const hourMs = 3_600_000;
const days = 7;
const loss = 0.01;

/** Writes a made-up value of each hour of the last days for all devices that join, while the server runs. */
export async function writeValues(
  data: string,
  { devices }: Pick<NetworkPlan, 'devices'>,
  nowMs: number,
  random: Random,
): Promise<void> {
  for (const { devEUI, sensor, wrongKey } of devices) {
    if (wrongKey) continue;
    const probe = sensorNamed(sensor)!.start(random);
    const rssi = -70 - Math.round(40 * random());
    const hours = Array.from({ length: days * 24 }, (_, index) => nowMs - (days * 24 - index) * hourMs);
    const uplinks = hours.map((at) => {
      probe.measure({ random, now: new Date(at), elapsedMs: hourMs });
      const bestRSSI = rssi + Math.round(6 * random());
      const note = {
        bestRSSI,
        bestSNR: Math.round(bestRSSI / 10 + 17),
        gatewayCount: 1 + Math.floor(3 * random()),
        airtimeMs: 62,
      };
      return { at, decoded: probe.decoded(), note: { ...note, ...(random() < loss && { lost: 1 }) } };
    });
    await writeSeries(data, devEUI, uplinks);
  }
}
