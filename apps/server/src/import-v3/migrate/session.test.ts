import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fromBinary } from '@hilltop/protobuf';
import { createKeyEnvelopes } from '../../key-envelopes.ts';
import { ReceiversMessage, SessionMessage } from '../source/session-message.ts';
import { receiversOf, sessionOf } from './session.ts';

/** Encoded by google-protobuf with the messages of version 3. */
const session =
  '0a2433643166376335322d356630652d346335332d396432612d366134643061366137633131122435653866326236302d316437612d346333392d386631302d3061326233633464356536661a2436643564623237652d346365322d346232622d623564372d3931663036393339373937382204' +
  '01abcdef2a080a1b2c3d4e5f6071320870b3d57ed00000013a102d13898ea763059d8acdfe65f15f323342102d13898ea763059d8acdfe65f15f32334a102d13898ea763059d8acdfe65f15f3233502b580d7001880188cccf9e03900102980103a00101b80101c2010400010203ca010c0803' +
  '120808e0cabb9d031805da0116082a15000008411802200128c3ffffffffffffffff01e80180a8fc83fc8291a417aa0205312e302e33ea02200a0461732d311218930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717f102000000000000294092030408031001';
const receivers =
  '0a080a1b2c3d4e5f607110031a240a08b827ebfffe11223310c3ffffffffffffffff01190000000000002140320401020304';

it('a session of version 3 continues with the same keys, counters and radio settings', () => {
  const given = fromBinary(SessionMessage, Uint8Array.fromHex(session));
  const envelopes = createKeyEnvelopes(new Map([['as-1', Uint8Array.fromHex('ffeeddccbbaa99887766554433221100')]]));
  const { id, keys, ...rest } = sessionOf(given, {
    devEUI: '0a1b2c3d4e5f6071',
    role: 'current',
    mode: 'A',
    origin: 'OTAA',
    macVersion: '1.0.2',
    activatedAt: 1,
    lastUplinkAt: 2,
    receivers: [],
    appSKey: null,
    downlinkMargin: 1,
  });
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(keys.nwkSEncKey.toHex(), '2d13898ea763059d8acdfe65f15f3233');
  assert.equal(envelopes.open(given.appSKeyEnvelope!).toHex(), '04d3df89c8a14f26ace47e8242616a6f');
  const { devAddr, joinEUI, fCntUp, nFCntDown, rxDelay, rx2Frequency, dr, adr, nbTrans, macVersion } = rest;
  assert.deepEqual(
    [devAddr, joinEUI, fCntUp, nFCntDown, rxDelay, rx2Frequency, dr, adr, nbTrans, macVersion],
    ['01abcdef', '70b3d57ed0000001', 43, 14, 1, 869_525_000, 3, true, 1, '1.0.3'],
  );
  assert.deepEqual(rest.enabledChannels, [0, 1, 2, 3]);
  assert.deepEqual(rest.extraChannels, [{ index: 3, frequency: 867_100_000, minDR: 0, maxDR: 5 }]);
  assert.deepEqual(rest.uplinkHistory, [{ fCnt: 42, maxSNR: 8.5, maxRSSI: -61, txPowerIndex: 2, gatewayCount: 1 }]);
  assert.equal(rest.lastDevStatusRequestedAt, Date.parse('2023-03-01T10:15:30Z'));
  assert.deepEqual(rest.macErrors, { 3: 1 });
});

it('the gateways that received the last uplink are known, as far as they are imported', () => {
  const given = fromBinary(ReceiversMessage, Uint8Array.fromHex(receivers));
  const received = { gatewayID: 'b827ebfffe112233', snr: 8.5, rssi: -61, context: '01020304', board: 0, antenna: 0 };
  assert.deepEqual(
    receiversOf(given, () => true),
    [received],
  );
  assert.deepEqual(
    receiversOf(given, () => false),
    [],
  );
});
