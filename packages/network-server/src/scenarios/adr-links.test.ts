import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceEIRP, modulationOf, region, requiredSNR } from '@hilltop/lorawan';
import { gaussian, seededRandom, type Transmission } from '@hilltop/simulator';
import { createRig, understood } from '../testing/rig.ts';

const eu868 = region('EU868');
const fullPower = deviceEIRP(eu868, 0) ?? 0;
/** Deliveries are counted over the last uplinks of a link, when its settings do not change much any more. */
const counted = 200;

interface Link {
  /** Mean SNR in dB with the highest power. */
  snr: number;
  /** Standard deviation of the SNR in dB. */
  sigma: number;
  /** Of the device when the link begins. */
  dataRate: number;
  uplinks?: number;
}

/** A device on that link: less power lowers the SNR, and an uplink arrives when its spreading factor needs no more. */
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

describe('a link with ADR, once it settled', () => {
  for (const sigma of [0, 2, 3]) {
    for (const dataRate of [0, 5]) {
      it(`delivers 99 % whatever its SNR, with ${sigma} dB of noise, from DR${dataRate} on`, async () => {
        const bad: object[] = [];
        for (let snr = -20; snr <= 14; snr += 2) {
          // What does not reach a gateway with DR0 and full power, or cannot have joined at this data-rate.
          if (snr < requiredAt(0) + 2.5 * sigma || snr < requiredAt(dataRate)) continue;
          const link = await runLink({ snr, sigma, dataRate });
          if (link.delivered < 0.99) bad.push({ snr, ...link });
        }
        assert.deepEqual(bad, []);
      });
    }
  }

  it('spends a reserve on less power, and keeps the installation margin', async () => {
    assert.deepEqual((await runLink({ snr: 6, sigma: 0, dataRate: 5 })).radio, { dr: 5, txPowerIndex: 1, nbTrans: 1 });
    assert.deepEqual((await runLink({ snr: 14, sigma: 0, dataRate: 0 })).radio, { dr: 5, txPowerIndex: 5, nbTrans: 1 });
  });

  it('delivers again after the device was set too fast by itself', async () => {
    const link = await runLink({ snr: -12, sigma: 3, dataRate: 5, uplinks: 1000 });
    assert.ok(link.delivered >= 0.99, JSON.stringify(link));
  });
});
