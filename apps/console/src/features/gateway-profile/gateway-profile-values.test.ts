import type { GatewayProfile } from '@hilltop/contract';
import { describe, expect, it } from 'vitest';
import { emptyExtraChannel, fromValues, toValues } from './gateway-profile-values.ts';

const profile: GatewayProfile = {
  id: '3b5e1f1c-0d5a-4d39-9d7e-0a1b2c3d4e5f',
  name: 'eight channels',
  networkServerID: '1',
  statsInterval: '30s',
  channels: [0, 1, 2],
  extraChannels: [
    { modulation: 'LORA', bandwidth: 125, frequency: 867_100_000, bitrate: 0, spreadingFactors: [7, 8] },
    { modulation: 'FSK', bandwidth: 125, frequency: 868_800_000, bitrate: 50_000, spreadingFactors: [] },
  ],
};

describe('the values of a gateway-profile', () => {
  it('are unchanged by a round trip', () => {
    const values = toValues(profile);
    expect(values).toMatchObject({ statsInterval: 30, channels: '0, 1, 2' });
    expect(values.extraChannels[0]).toMatchObject({ spreadingFactors: '7, 8', bitrate: '' });
    expect(fromValues(values)).toEqual(profile);
  });

  it('omit the fields of another modulation', () => {
    const both = { ...emptyExtraChannel, frequency: 868_800_000, bitrate: 50_000, spreadingFactors: '7' };
    const [lora, fsk] = fromValues({
      ...toValues(profile),
      extraChannels: [both, { ...both, modulation: 'FSK' }],
    }).extraChannels;
    expect(lora).toMatchObject({ bitrate: 0, spreadingFactors: [7] });
    expect(fsk).toMatchObject({ bitrate: 50_000, spreadingFactors: [] });
  });
});
