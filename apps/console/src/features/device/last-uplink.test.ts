import { expect, it } from 'vitest';
import { signalOf } from './last-uplink.ts';

it('takes the signal of an uplink from the gateway that received it best, rounded', () => {
  const rxInfo = [
    { rssi: -110.2, loRaSNR: -4.1 },
    { rssi: -71.4, loRaSNR: 9.489334533 },
  ];
  const uplink = { type: 'up', payloadJSON: JSON.stringify({ rxInfo }), publishedAt: null, streamID: '1-0' };
  expect(signalOf(uplink)).toEqual({ rssi: '-71 dBm', snr: '9.5 dB' });
  expect(signalOf({ ...uplink, payloadJSON: '{}' })).toBeUndefined();
  expect(signalOf(undefined)).toBeUndefined();
});
