import { describe, expect, it } from 'vitest';
import { deviceFrameKind, frameHistory } from './frame-history.ts';

const at = '2026-11-21T10:15:30.123Z';
const phyPayload = { mhdr: { mType: 'UnconfirmedDataUp' }, macPayload: { fPort: 10 }, mic: '01020304' };
const uplink = (more: object, rxInfo: { rssi: number }[] = []) => ({
  uplinkFrame: { publishedAt: at, rxInfo, phyPayloadJSON: JSON.stringify({ ...phyPayload, ...more }) },
});
const { cursorOf, completed } = frameHistory('0102030405060708', {
  filter: {},
  around: undefined,
  onRemote: () => undefined,
});

describe('a stored frame of a device', () => {
  it('is the live one with its time, type and MIC', () => {
    const live = uplink({ refused: { reason: 'WRONG_KEY', sentence: '' } }, [{ rssi: -61 }]);
    const stored = { ...uplink({ dropped: 'join-refused' }), streamID: '1795773447462-4', noteJSON: '' };
    expect(deviceFrameKind.identityOf(live)).toBe(deviceFrameKind.identityOf(stored));
    expect(deviceFrameKind.orderOf(live)).toEqual(deviceFrameKind.orderOf(stored));
    expect(deviceFrameKind.identityOf(live)).not.toBe(deviceFrameKind.identityOf(uplink({ mic: '01020305' })));
  });

  it('adds its address to the live one, which has the gateways', () => {
    const live = uplink({}, [{ rssi: -61 }]);
    const stored = { ...uplink({}), streamID: '1795773447462-4', noteJSON: '{"bestRSSI":-61}' };
    expect(completed?.(live, stored)).toEqual({ ...live, streamID: stored.streamID, noteJSON: stored.noteJSON });
  });

  it('is found from the time of the live one on', () => {
    expect(cursorOf(uplink({}))).toBe(`${Date.parse(at)}-0`);
    expect(cursorOf({ ...uplink({}), streamID: '1795773447462-4' })).toBe('1795773447462-4');
  });
});
