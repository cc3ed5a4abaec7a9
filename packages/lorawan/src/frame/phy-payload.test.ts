import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameError } from '../errors.ts';
import { decodeCFList } from './cf-list.ts';
import { type Frame, isDataFrame } from './frame.ts';
import { decodeJoinAccept, encodeJoinAccept } from './join-accept.ts';
import { decodeFrame, encodeFrame } from './phy-payload.ts';

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const identifier = (length: number) => bytes(length).map((value) => value.toHex());
const uint16 = fc.nat(0xffff);
const mic = bytes(4);
const major = fc.nat(3);

function record<T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record<T>(members, { noNullPrototype: true });
}

const fOptsAndPayload = fc.oneof(
  record({ fOpts: bytes(0, 15), fPort: fc.constant(null), frmPayload: fc.constant(new Uint8Array()) }),
  record({ fOpts: bytes(0, 15), fPort: fc.integer({ min: 1, max: 255 }), frmPayload: bytes(0, 242) }),
  record({ fOpts: fc.constant(new Uint8Array()), fPort: fc.constant(0), frmPayload: bytes(0, 242) }),
);

const dataFrame = (direction: 'Up' | 'Down') =>
  fc
    .tuple(
      record({
        mType: fc.constantFrom(`UnconfirmedData${direction}` as const, `ConfirmedData${direction}` as const),
        major,
        devAddr: identifier(4),
        fCtrl: record({
          adr: fc.boolean(),
          adrAckReq: direction === 'Up' ? fc.boolean() : fc.constant(false),
          ack: fc.boolean(),
          fPending: direction === 'Down' ? fc.boolean() : fc.constant(false),
          classB: direction === 'Up' ? fc.boolean() : fc.constant(false),
        }),
        fCnt: uint16,
        mic,
      }),
      fOptsAndPayload,
    )
    .map(([frame, rest]) => ({ ...frame, ...rest }));

const frame: fc.Arbitrary<Frame> = fc.oneof(
  dataFrame('Up'),
  dataFrame('Down'),
  record({
    mType: fc.constant('JoinRequest' as const),
    major,
    joinEUI: identifier(8),
    devEUI: identifier(8),
    devNonce: uint16,
    mic,
  }),
  record({ mType: fc.constant('JoinAccept' as const), major, bytes: fc.oneof(bytes(16), bytes(32)) }),
  record({
    mType: fc.constant('RejoinRequest' as const),
    major,
    rejoinType: fc.constantFrom(0 as const, 2 as const),
    netID: identifier(3),
    devEUI: identifier(8),
    rjCount: uint16,
    mic,
  }),
  record({
    mType: fc.constant('RejoinRequest' as const),
    major,
    rejoinType: fc.constant(1 as const),
    joinEUI: identifier(8),
    devEUI: identifier(8),
    rjCount: uint16,
    mic,
  }),
  record({ mType: fc.constant('Proprietary' as const), major, bytes: bytes(0, 200), mic }),
);

describe('decodeFrame and encodeFrame', () => {
  it('preserve every frame', () => {
    fc.assert(fc.property(frame, (sent) => assert.deepEqual(decodeFrame(encodeFrame(sent)), sent)));
  });

  it('preserve every byte of a decoded frame, except reserved bits', () => {
    fc.assert(
      fc.property(frame, (sent) => {
        const onAir = encodeFrame(sent);
        assert.deepEqual(encodeFrame(decodeFrame(onAir)), onAir);
      }),
    );
  });

  it('refuse incomplete frames with a FrameError or decode them as a shorter frame', () => {
    fc.assert(
      fc.property(frame, fc.nat(), (sent, cut) => {
        const onAir = encodeFrame(sent);
        onlyFrameError(() => decodeFrame(onAir.subarray(0, cut % onAir.length)));
      }),
    );
  });

  it('throw only FrameError for random bytes', () => {
    fc.assert(
      fc.property(bytes(0, 300), (noise) => onlyFrameError(() => decodeFrame(noise))),
      { numRuns: 1000 },
    );
    fc.assert(fc.property(bytes(0, 40), (noise) => onlyFrameError(() => decodeJoinAccept(noise))));
    fc.assert(fc.property(bytes(0, 20), (noise) => onlyFrameError(() => decodeCFList(noise))));
  });

  it('report the field and position of an error', () => {
    assert.throws(() => decodeFrame(Uint8Array.fromHex('400403020105000001020301020304')), {
      name: 'FrameError',
      field: 'fOpts',
      offset: 11,
      message: 'fOpts at byte 11: FOptsLen reaches past the end.',
    });
  });

  it('share no memory with their input', () => {
    const onAir = Uint8Array.fromHex('40f17dbe4900020001954378762b11ff0d');
    const decoded = decodeFrame(onAir);
    onAir.fill(0);
    assert.ok(isDataFrame(decoded));
    assert.equal(decoded.frmPayload.toHex(), '95437876');
    assert.equal(decoded.mic.toHex(), '2b11ff0d');
  });

  it('refuse values that do not fit', () => {
    const decoded = decodeFrame(Uint8Array.fromHex('40f17dbe4900020001954378762b11ff0d'));
    assert.ok(isDataFrame(decoded));
    for (const wrong of [
      { fCnt: 65536 },
      { fCnt: 1.5 },
      { devAddr: '49be7d' },
      { devAddr: '49be7dxx' },
      { fPort: 256 },
      { fPort: null },
      { fOpts: new Uint8Array(16) },
      { fPort: 0, fOpts: new Uint8Array(1) },
      { mic: new Uint8Array(3) },
    ]) {
      assert.throws(() => encodeFrame({ ...decoded, ...wrong }), FrameError, JSON.stringify(wrong));
    }
  });
});

describe('encodeJoinAccept', () => {
  const cFList = fc.oneof(
    fc.constant(null),
    record({
      type: fc.constant(0 as const),
      frequencies: fc.array(
        fc.nat(11_999_999).map((code) => code * 100),
        { minLength: 5, maxLength: 5 },
      ),
    }),
    record({ type: fc.constant(1 as const), chMasks: fc.array(uint16, { minLength: 7, maxLength: 7 }) }),
  );

  it('is undone by decodeJoinAccept', () => {
    const accept = record({
      joinNonce: fc.nat(0xffffff),
      netID: identifier(3),
      devAddr: identifier(4),
      dlSettings: record({ optNeg: fc.boolean(), rx1DROffset: fc.nat(7), rx2DataRate: fc.nat(15) }),
      rxDelay: fc.nat(15),
      cFList,
    });
    fc.assert(fc.property(accept, (sent) => assert.deepEqual(decodeJoinAccept(encodeJoinAccept(sent)), sent)));
  });
});

function onlyFrameError(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof FrameError, String(error));
  }
}
