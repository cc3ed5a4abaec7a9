import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultUplinkChannels, region } from '@hilltop/lorawan';
import type { ADRRequest } from './algorithm.ts';
import { defaultADR } from './default.ts';
import { loRaLRFHSSADR } from './lora-lr-fhss.ts';
import { lrFHSSADR } from './lr-fhss.ts';
import { adrAlgorithm } from './registry.ts';

/** History rows of consecutive uplinks with the same SNR. */
const steady = (snr: number, txPowerIndex: number, count = 20) =>
  Array.from({ length: count }, (_, fCnt) => [fCnt, snr, txPowerIndex]);

/** Every second uplink of a history is missing. */
const lossy = (snr: number, txPowerIndex: number) =>
  steady(snr, txPowerIndex).map(([fCnt = 0, ...rest]) => [2 * fCnt, ...rest]);

/** History rows: FCnt, best SNR, TXPower index. */
const cases = [
  {
    title: 'device does not use ADR',
    now: { adr: false, dr: 0, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -20,
    history: [[0, 10, 0]],
    expect: { dr: 0, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'strong signal, empty margin budget goes to the data-rate first',
    now: { adr: true, dr: 0, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -20,
    history: steady(-5, 0),
    expect: { dr: 1, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'strong signal on the highest data-rate lowers the power',
    now: { adr: true, dr: 5, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: steady(12, 0),
    expect: { dr: 5, txPowerIndex: 3, nbTrans: 1 },
  },
  {
    title: 'power already at its last index',
    now: { adr: true, dr: 5, txPowerIndex: 5, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: steady(20, 5),
    expect: { dr: 5, txPowerIndex: 5, nbTrans: 1 },
  },
  {
    title: 'a gateway that claims more than any radio can hear',
    now: { adr: true, dr: 0, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -20,
    history: steady(1e300, 0),
    expect: { dr: 5, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'a reserve that was measured by too few uplinks changes nothing',
    now: { adr: true, dr: 0, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -20,
    history: steady(10, 0, 19),
    expect: { dr: 0, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'one uplink that was heard much better than the others changes nothing',
    now: { adr: true, dr: 5, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: [...steady(2, 0, 19), [19, 12, 0]],
    expect: { dr: 5, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'a weak signal at full power keeps its data-rate while nothing is lost',
    now: { adr: true, dr: 5, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: steady(-6, 0),
    expect: { dr: 5, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'a weak signal that loses uplinks gets more power first',
    now: { adr: true, dr: 5, txPowerIndex: 1, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: lossy(-6, 1),
    expect: { dr: 5, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'a weak signal at full power that loses uplinks gets a lower data-rate',
    now: { adr: true, dr: 5, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: lossy(-6, 0),
    expect: { dr: 3, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'a data-rate below the floor is raised at once',
    now: { adr: true, dr: 1, txPowerIndex: 0, nbTrans: 1 },
    minDR: 3,
    maxDR: 5,
    requiredSNR: -17.5,
    history: [],
    expect: { dr: 3, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'at the floor, uplinks that are lost are repeated instead',
    now: { adr: true, dr: 4, txPowerIndex: 0, nbTrans: 1 },
    minDR: 4,
    maxDR: 5,
    requiredSNR: -10,
    history: lossy(-6, 0),
    expect: { dr: 4, txPowerIndex: 0, nbTrans: 3 },
  },
  {
    title: 'a link without reserve keeps its repetitions',
    now: { adr: true, dr: 0, txPowerIndex: 0, nbTrans: 3 },
    maxDR: 5,
    requiredSNR: -20,
    history: steady(-16, 0),
    expect: { dr: 0, txPowerIndex: 0, nbTrans: 3 },
  },
  {
    title: 'a power below the lowest allowed is raised at once',
    now: { adr: true, dr: 5, txPowerIndex: 7, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -7.5,
    history: [],
    expect: { dr: 5, txPowerIndex: 5, nbTrans: 1 },
  },
  {
    title: 'data-rate above the allowed maximum',
    now: { adr: true, dr: 5, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 3,
    requiredSNR: -7.5,
    history: [[0, 2.5, 0]],
    expect: { dr: 3, txPowerIndex: 0, nbTrans: 1 },
  },
  {
    title: 'weak signal with a short history keeps the power',
    now: { adr: true, dr: 3, txPowerIndex: 4, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -12.5,
    history: steady(-14, 4, 19),
    expect: { dr: 3, txPowerIndex: 4, nbTrans: 1 },
  },
  {
    title: 'weak signal with a full history raises the power',
    now: { adr: true, dr: 3, txPowerIndex: 4, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -12.5,
    history: steady(-8, 4),
    expect: { dr: 3, txPowerIndex: 3, nbTrans: 1 },
  },
  {
    title: 'a history at mixed powers decides nothing',
    now: { adr: true, dr: 3, txPowerIndex: 4, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -12.5,
    history: [...steady(-8, 4, 19), [19, -9, 3]],
    expect: { dr: 3, txPowerIndex: 4, nbTrans: 1 },
  },
  {
    title: 'packet loss above 30 per cent',
    now: { adr: true, dr: 2, txPowerIndex: 0, nbTrans: 1 },
    maxDR: 5,
    requiredSNR: -15,
    history: [
      [0, -3, 0],
      [2, -4, 0],
      [3, -5, 0],
      [5, -3, 0],
      [6, -4, 0],
      [8, -5, 0],
      [9, -3, 0],
      [11, -4, 0],
      [12, -5, 0],
      [14, -3, 0],
      [15, -4, 0],
      [17, -5, 0],
      [18, -3, 0],
      [20, -4, 0],
      [21, -5, 0],
      [23, -3, 0],
      [24, -4, 0],
      [26, -5, 0],
      [27, -3, 0],
      [29, -4, 0],
    ],
    expect: { dr: 2, txPowerIndex: 0, nbTrans: 3 },
  },
  {
    title: 'packet loss between 10 and 30 per cent',
    now: { adr: true, dr: 2, txPowerIndex: 0, nbTrans: 2 },
    maxDR: 5,
    requiredSNR: -15,
    history: [
      [0, -3, 0],
      [1, -4, 0],
      [3, -5, 0],
      [4, -3, 0],
      [5, -4, 0],
      [6, -5, 0],
      [8, -3, 0],
      [9, -4, 0],
      [10, -5, 0],
      [11, -3, 0],
      [13, -4, 0],
      [14, -5, 0],
      [15, -3, 0],
      [16, -4, 0],
      [17, -5, 0],
      [18, -3, 0],
      [19, -4, 0],
      [20, -5, 0],
      [21, -3, 0],
      [22, -4, 0],
    ],
    expect: { dr: 2, txPowerIndex: 0, nbTrans: 3 },
  },
  {
    title: 'packet loss between 5 and 10 per cent',
    now: { adr: true, dr: 2, txPowerIndex: 0, nbTrans: 2 },
    maxDR: 5,
    requiredSNR: -15,
    history: [
      [0, -3, 0],
      [1, -4, 0],
      [2, -5, 0],
      [3, -3, 0],
      [4, -4, 0],
      [5, -5, 0],
      [6, -3, 0],
      [7, -4, 0],
      [9, -5, 0],
      [10, -3, 0],
      [11, -4, 0],
      [12, -5, 0],
      [13, -3, 0],
      [14, -4, 0],
      [15, -5, 0],
      [16, -3, 0],
      [17, -4, 0],
      [18, -5, 0],
      [19, -3, 0],
      [20, -4, 0],
    ],
    expect: { dr: 2, txPowerIndex: 0, nbTrans: 2 },
  },
  {
    title: 'no loss lowers the repetitions',
    now: { adr: true, dr: 4, txPowerIndex: 1, nbTrans: 3 },
    maxDR: 5,
    requiredSNR: -10,
    history: [
      [0, 0, 1],
      [1, -1, 1],
      [2, -2, 1],
      [3, 0, 1],
      [4, -1, 1],
      [5, -2, 1],
      [6, 0, 1],
      [7, -1, 1],
      [8, -2, 1],
      [9, 0, 1],
      [10, -1, 1],
      [11, -2, 1],
      [12, 0, 1],
      [13, -1, 1],
      [14, -2, 1],
      [15, 0, 1],
      [16, -1, 1],
      [17, -2, 1],
      [18, 0, 1],
      [19, -1, 1],
    ],
    expect: { dr: 4, txPowerIndex: 1, nbTrans: 2 },
  },
];

const eu868 = region('EU868');
const lrFHSSChannel = { index: 3, frequency: 867_100_000, minDR: 0, maxDR: 11 };

function buildRequest(change: Partial<ADRRequest>): ADRRequest {
  return {
    region: eu868,
    macVersion: '1.0.4',
    regParamsRevision: 'RP002-1.0.3',
    adr: true,
    dr: 0,
    txPowerIndex: 0,
    nbTrans: 1,
    minTxPowerIndex: 0,
    maxTxPowerIndex: 5,
    requiredSNR: -20,
    installationMargin: 10,
    minDR: 0,
    maxDR: 5,
    channels: defaultUplinkChannels(eu868),
    history: [],
    random: () => 0,
    ...change,
  };
}

describe('default ADR algorithm', () => {
  for (const { title, now, minDR = 0, maxDR, requiredSNR, history, expect } of cases) {
    it(title, () => {
      const entries = history.map(([fCnt = 0, maxSNR = 0, txPowerIndex = 0]) => {
        return { fCnt, maxSNR, txPowerIndex, maxRSSI: -80, gatewayCount: 1 };
      });
      assert.deepEqual(defaultADR.adapt(buildRequest({ ...now, minDR, maxDR, requiredSNR, history: entries })), expect);
    });
  }

  it('does not request a power below the minimum of the device', () => {
    const history = Array.from({ length: 20 }, (_, fCnt) => {
      return { fCnt, maxSNR: -30, txPowerIndex: 1, maxRSSI: -120, gatewayCount: 1 };
    });
    const request = buildRequest({ txPowerIndex: 1, minTxPowerIndex: 1, history });
    assert.deepEqual(defaultADR.adapt(request), { dr: 0, txPowerIndex: 1, nbTrans: 1 });
  });

  it('never requests more than the enabled channels allow', () => {
    const history = Array.from({ length: 20 }, (_, fCnt) => {
      return { fCnt, maxSNR: 20, txPowerIndex: 0, maxRSSI: -60, gatewayCount: 1 };
    });
    const channels = [{ index: 0, frequency: 868_100_000, minDR: 0, maxDR: 3 }];
    assert.equal(defaultADR.adapt(buildRequest({ history, channels })).dr, 3);
  });
});

describe('LR-FHSS ADR algorithms', () => {
  const channels = [...defaultUplinkChannels(eu868), lrFHSSChannel];
  const received = (maxRSSI: number, count = 20) =>
    Array.from({ length: count }, (_, fCnt) => ({ fCnt, maxSNR: 0, txPowerIndex: 0, maxRSSI, gatewayCount: 1 }));
  const rows = [
    { title: 'a strong link takes the faster code rate', now: { dr: 0 }, history: received(-100), expect: 9 },
    { title: 'a short history changes nothing', now: { dr: 0 }, history: received(-100, 19), expect: 0 },
    {
      title: 'a data-rate below the floor is no choice',
      now: { dr: 0, minDR: 9 },
      history: received(-135),
      expect: 10,
    },
    { title: 'a weak link takes the robust code rate', now: { dr: 0 }, history: received(-135), expect: 8 },
    { title: 'a weak link stays robust', now: { dr: 10 }, history: received(-135), expect: 10 },
    { title: 'a fast one stays', now: { dr: 11 }, history: received(-135), expect: 11 },
    { title: 'ADR off', now: { dr: 0, adr: false }, history: received(-100), expect: 0 },
    { title: 'no such data-rate allowed', now: { dr: 0, maxDR: 5 }, history: received(-100), expect: 0 },
  ];
  for (const { title, now, history, expect } of rows) {
    it(title, () => {
      assert.equal(lrFHSSADR.adapt(buildRequest({ maxDR: 11, channels, ...now, history })).dr, expect);
    });
  }

  it('both: LoRa while it is fast, LR-FHSS otherwise', () => {
    const strong = received(-60).map((entry) => ({ ...entry, maxSNR: 10 }));
    assert.equal(loRaLRFHSSADR.adapt(buildRequest({ maxDR: 11, channels, history: strong })).dr, 5);
    const onLRFHSS = buildRequest({ dr: 8, maxDR: 11, channels, history: strong.slice(1) });
    assert.equal(loRaLRFHSSADR.adapt(onLRFHSS).dr, 8);
    const weak = received(-135).map((entry) => ({ ...entry, maxSNR: -15 }));
    assert.equal(loRaLRFHSSADR.adapt(buildRequest({ maxDR: 11, channels, history: weak })).dr, 8);
  });

  it('an unknown id is the default algorithm', () => {
    assert.equal(adrAlgorithm('nobody').id, 'default');
    assert.equal(adrAlgorithm('lr_fhss').id, 'lr_fhss');
  });
});
