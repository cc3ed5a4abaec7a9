import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { airtime } from './airtime.ts';
import { FrameError } from './errors.ts';

describe('airtime', () => {
  it('optimizes for low data-rates where a symbol takes more than 16 ms', () => {
    assert.equal(airtime(13, { modulation: 'LORA', bandwidth: 125, spreadingFactor: 7 }), 46.336);
    assert.equal(airtime(50, { modulation: 'LORA', bandwidth: 125, spreadingFactor: 12 }), 2301.952);
  });

  it('is shorter for downlinks, which have no CRC', () => {
    const modulation = { modulation: 'LORA', bandwidth: 125, spreadingFactor: 7 } as const;
    assert.equal((airtime(14, modulation, 'up') - airtime(14, modulation, 'down')).toFixed(3), '5.120');
  });

  it('counts preamble, sync word, length and CRC of FSK', () => {
    assert.equal(airtime(14, { modulation: 'FSK', datarate: 50000 }), 4);
  });

  it('repeats the header of LR-FHSS more often at the lower rate', () => {
    const width = { modulation: 'LR_FHSS', operatingChannelWidth: 137000 } as const;
    const slow = airtime(20, { ...width, codeRate: '1/3' });
    assert.equal(slow, airtime(20, { ...width, codeRate: '2/6' }));
    assert.equal(slow.toFixed(3), '1929.216');
    assert.equal(airtime(20, { ...width, codeRate: '2/3' }).toFixed(3), '1081.344');
  });

  it('refuses other code rates', () => {
    assert.throws(
      () => airtime(1, { modulation: 'LORA', bandwidth: 125, spreadingFactor: 7, codeRate: '1/3' }),
      FrameError,
    );
  });
});
