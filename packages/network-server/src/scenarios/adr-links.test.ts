import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceEIRP, modulationOf, region, requiredSNR } from '@hilltop/lorawan';
import {
  type DeviceDescription,
  distanceKm,
  type GatewayDescription,
  gaussian,
  isHeard,
  planNetwork,
  seededRandom,
  signalAt,
  type Transmission,
} from '@hilltop/simulator';
import { createRig, understood } from '../testing/rig.ts';

const eu868 = region('EU868');
const fullPower = deviceEIRP(eu868, 0) ?? 0;
/** Counts the deliveries of the last uplinks of a link, when its settings hardly change any more. */
const counted = 200;

interface Link {
  /** Mean SNR in dB with the highest power. */
  snr: number;
  /** Standard deviation of the SNR in dB. */
  sigma: number;
  /** The data-rate of the device when the link begins. */
  dataRate: number;
  uplinks?: number;
}

/**
 * A device on that link: less power lowers the SNR, and an uplink arrives when its spreading factor can be demodulated.
 */
async function runLink({ snr, sigma, dataRate, uplinks = 400 }: Link) {
  const rig = await createRig();
  const device = await rig.activated({}, { adr: true });
  const { radio } = device.session!;
  radio.dataRate = dataRate;
  const random = seededRandom(1000 * (snr + 30) + 10 * sigma + dataRate);
  const snrOf = ({ power }: Transmission) => snr + power - fullPower + gaussian(random, sigma);
  const arrived: boolean[] = [];
  for (let nth = 0; nth < uplinks; nth++) {
    let isHeard = false;
    let isAnswered = false;
    for (let times = 0; times < radio.nbTrans && !isAnswered; times++) {
      const sent = times === 0 ? device.uplink({ fPort: 1 }) : device.repeat();
      const received = snrOf(sent);
      if (received < requiredOf(sent)) continue;
      isHeard = true;
      isAnswered = understood(device, await rig.exchange(sent, { snr: received })) !== null;
    }
    arrived.push(isHeard);
  }
  const { dataRate: dr, txPowerIndex, nbTrans } = radio;
  const delivered = arrived.slice(-counted).filter(Boolean).length / counted;
  return { delivered, radio: { dr, txPowerIndex, nbTrans } };
}

const requiredOf = ({ modulation }: Pick<Transmission, 'modulation'>) => requiredSNR(modulation) ?? 0;
const requiredAt = (dataRate: number) => requiredOf({ modulation: modulationOf(eu868, dataRate) });

describe('a link with ADR, after it has settled', () => {
  for (const sigma of [0, 2, 3]) {
    for (const dataRate of [0, 5]) {
      it(`delivers 99 % whatever its SNR, with ${sigma} dB of noise, from DR${dataRate} on`, async () => {
        const bad: object[] = [];
        for (let snr = -20; snr <= 14; snr += 2) {
          // A link that does not reach a gateway with DR0 and full power, or cannot have joined at this data-rate.
          if (snr < requiredAt(0) + 2.5 * sigma || snr < requiredAt(dataRate)) continue;
          const link = await runLink({ snr, sigma, dataRate });
          if (link.delivered < 0.99) bad.push({ snr, ...link });
        }
        assert.deepEqual(bad, []);
      });
    }
  }

  it('uses a reserve for less power, and respects the installation margin', async () => {
    assert.deepEqual((await runLink({ snr: 6, sigma: 0, dataRate: 5 })).radio, { dr: 5, txPowerIndex: 1, nbTrans: 1 });
    assert.deepEqual((await runLink({ snr: 14, sigma: 0, dataRate: 0 })).radio, { dr: 5, txPowerIndex: 5, nbTrans: 1 });
  });

  it('delivers again after the device chose a data-rate that is too fast', async () => {
    const link = await runLink({ snr: -12, sigma: 3, dataRate: 5, uplinks: 1000 });
    assert.ok(link.delivered >= 0.99, JSON.stringify(link));
  });
});

describe('the network of the demo', () => {
  /**
   * The outcome of the uplinks of one device, one every 50 s, beginning with the data-rate at which it is first
   * received.
   */
  async function speak({ gateways, device: place }: { gateways: GatewayDescription[]; device: DeviceDescription }) {
    const rig = await createRig({ settings: { extraChannels: [...eu868.recommendedExtraChannels] } });
    const device = await rig.activated({}, { adr: true });
    const { radio } = device.session!;
    const random = seededRandom(Number.parseInt(place.devEUI.slice(-6), 16) + 1);
    const { latitude = 0, longitude = 0, lossDb = 0 } = place;
    const distances = gateways.map((gateway) => distanceKm({ latitude, longitude }, gateway));
    const bestSignal = (sent: Pick<Transmission, 'power' | 'modulation'>) =>
      distances.map((km) => signalAt(sent, km, { lossDb, random })).sort((a, b) => b.snr - a.snr)[0]!;
    const isReached = () => {
      const modulation = modulationOf(eu868, radio.dataRate);
      return isHeard(bestSignal({ power: fullPower, modulation }), modulation);
    };
    while (!isReached()) radio.dataRate = radio.dataRate > 0 ? radio.dataRate - 1 : 5;
    const arrived: boolean[] = [];
    for (let nth = 0; nth < 92; nth++) {
      let isArrived = false;
      for (let times = 0; times < radio.nbTrans && !isArrived; times++) {
        const sent = times === 0 ? device.uplink({ fPort: 1 }) : device.repeat();
        const signal = bestSignal(sent);
        if (!isHeard(signal, sent.modulation)) continue;
        isArrived = true;
        understood(device, await rig.exchange(sent, signal));
      }
      arrived.push(isArrived);
    }
    return arrived;
  }

  it('loses no more after an hour than in its first five minutes, and every device is still received', async () => {
    const { gateways, devices } = planNetwork({ gateways: 25, devices: 200, random: seededRandom(2026) });
    const all: boolean[][] = [];
    for (const device of devices.filter((_, nth) => nth % 4 === 1)) all.push(await speak({ gateways, device }));
    const lossOf = (parts: boolean[][]) => parts.flat().filter((isArrived) => !isArrived).length / parts.flat().length;
    const first = lossOf(all.map((arrived) => arrived.slice(0, 6)));
    const afterAnHour = all.map((arrived) => arrived.slice(72));
    assert.ok(lossOf(afterAnHour) <= first, `${first} lost at first, ${lossOf(afterAnHour)} after an hour`);
    assert.ok(afterAnHour.every((arrived) => arrived.includes(true)));
  });
});
