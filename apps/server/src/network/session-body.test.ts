import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SessionBody, sessionBody, sessionOf } from './session-body.ts';

const received = (fCnt: number) => ({ fCnt, maxSNR: -7.25, maxRSSI: -101, txPowerIndex: 2, gatewayCount: 3 });
const channel = (index: number) => ({ index, frequency: 867_100_000, minDR: 0, maxDR: 5 });

/** Adjacent values differ, so that swapped fields are noticed. */
const session: SessionBody = {
  origin: 'ABP',
  joinEUI: '0102030405060708',
  macVersion: '1.1.0',
  activatedAt: 1,
  fCntUp: 2,
  missed: [101, 102],
  nFCntDown: 3,
  aFCntDown: 4,
  confFCnt: 5,
  formerConfFCnt: 6,
  spent: { nFCntDown: { fCnt: 7, digest: 'd1' } },
  itemsPassedOver: 8,
  repeats: 9,
  rxDelay: 10,
  rx1DROffset: 11,
  rx2DataRate: 12,
  rx2Frequency: 13,
  adr: true,
  dr: 14,
  txPowerIndex: 15,
  lowestTxPowerIndex: 16,
  highestTxPowerIndex: 17,
  nbTrans: 18,
  enabledChannels: [19, 20],
  extraChannels: [channel(3)],
  formerChannels: [channel(4)],
  uplinkDwellTime400ms: true,
  downlinkDwellTime400ms: false,
  maxEIRPIndex: 21,
  uplinkHistory: [received(22), received(23)],
  macErrors: { 3: 24 },
  pendingRequests: { 6: '06' },
  lastDevStatusRequestedAt: 25,
  lastUplinkAt: 26,
  lastDownlinkAt: 27,
  mode: 'B',
  beaconLocked: true,
  pingSlotNb: 28,
  pingSlotDR: 29,
  pingSlotFrequency: 30,
  beaconFrequency: 31,
  rejoinCount0: 32,
  rejoinParams: { maxTimeN: 33, maxCountN: 34 },
  receivers: [{ gatewayID: '0b', snr: 1.5, rssi: -60, context: '0c', board: 35, antenna: 36 }],
  isTxPowerDoubtful: true,
  adrAckReqSince: 37,
  lastNewChannelRequestedAt: 38,
};

/** Defaults for sessions that were stored before these fields existed. */
const added = { isTxPowerDoubtful: false, adrAckReqSince: null, lastNewChannelRequestedAt: null };

/** The stored form: changing it makes stored sessions unreadable. */
const stored =
  '["ABP","0102030405060708","1.1.0",1,2,3,4,5,6,{"nFCntDown":{"fCnt":7,"digest":"d1"}},8,9,10,11,12,13,true,14,15,16,17,' +
  '18,[19,20],[{"index":3,"frequency":867100000,"minDR":0,"maxDR":5}],[{"index":4,"frequency":867100000,"minDR":0,"maxDR":5}],' +
  'true,false,21,[22,-7.25,-101,2,3,23,-7.25,-101,2,3],{"3":24},{"6":"06"},25,26,27,"B",true,28,29,30,31,32,' +
  '{"maxTimeN":33,"maxCountN":34},[{"gatewayID":"0b","snr":1.5,"rssi":-60,"context":"0c","board":35,"antenna":36}]';

describe('the body of a session', () => {
  it('is written in the stored form', () => {
    assert.equal(sessionBody(session), `${stored},[101,102],true,37,38,false]`);
  });

  it('is read with every field in its position', () => {
    assert.deepEqual(sessionOf(`${stored},[101,102],true,37,38,true]`), { ...session, isJoinReported: true });
    assert.deepEqual(sessionOf(`${stored},[101,102],true,37,38]`), session);
    assert.deepEqual(sessionOf(`${stored},[101,102]]`), { ...session, ...added });
    assert.deepEqual(
      sessionOf(`${stored}]`),
      { ...session, ...added, missed: [] },
      'before the last members were there',
    );
  });

  it('is as short for a hundred consecutive missing counters as for two', () => {
    const missed = [3, ...Array.from({ length: 100 }, (_, nth) => nth + 10), 200, 201, 300, 301, 302];
    const body = sessionBody({ ...session, missed });
    assert.equal(body, `${stored},[3,10,-99,200,201,300,-2],true,37,38,false]`);
    assert.deepEqual(sessionOf(body).missed, missed);
  });

  it('is read with its own list of channels, also when only one of the lists has them', () => {
    const [extra, former] = [
      { ...session, formerChannels: [] },
      { ...session, extraChannels: [] },
    ];
    sessionOf(sessionBody(extra)).extraChannels.pop();
    assert.deepEqual(sessionOf(sessionBody(extra)), extra);
    assert.deepEqual(sessionOf(sessionBody(former)), former);
    const neither = { ...session, extraChannels: [], formerChannels: [] };
    assert.deepEqual(sessionOf(sessionBody(neither)), neither);
  });

  it('of an earlier version, an object, is read as well', () => {
    assert.deepEqual(sessionOf(JSON.stringify(session)), session);
  });
});
