/**
 * Bytes that the published packages wrote: our code must read the same values, and write bytes that they read equally.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { type Operation, operations } from '../index.ts';
import { answerBytes, grpcPath, parseRequestBytes } from './binary.ts';

const { device, deviceQueue, internal } = operations;
const devEUI = '0a1b2c3d4e5f6071';
const profile = '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11';
const at = '2023-03-01T10:15:30.123456Z';

const requests: readonly [Operation, string, object][] = [
  [internal.login, '0a0561646d696e120773656372657431', { email: 'admin', password: 'secret1' }],
  [device.get, '0a1030613162326333643465356636303731', { devEUI }],
  [
    device.create,
    '0a5f0a10306131623263336434653566363037311206736f696c2d3118072201782a2433643166376335322d356630652d346335332d396432612d36613464306136613763313139000000000000f83f4a0d0a047369746512056e6f7274685001',
    {
      device: {
        devEUI,
        name: 'soil-1',
        applicationID: '7',
        description: 'x',
        deviceProfileID: profile,
        referenceAltitude: 1.5,
        tags: { site: 'north' },
        isDisabled: true,
      },
    },
  ],
  [device.list, '080a18073a0d0a047369746512056e6f727468', { limit: 10, applicationID: '7', tags: { site: 'north' } }],
  [
    deviceQueue.enqueue,
    '0a1c0a10306131623263336434653566363037311001180a2204deadbeef',
    { deviceQueueItem: { devEUI, confirmed: true, fPort: 10, data: '3q2+7w==' } },
  ],
];

const answers: readonly [Operation, string, object][] = [
  [deviceQueue.enqueue, '080c', { fCnt: 12 }],
  [
    internal.getDevicesSummary,
    '08031a04080010011a0408051002',
    { activeCount: 3, inactiveCount: 0, drCount: { 0: 1, 5: 2 }, neverSeenCount: 0 },
  ],
  [
    device.streamEventLogs,
    '0a0361636b120b7b2266436e74223a31327d1a0b08c2cbfc9f06108094ef3a220f313637373636353733303132352d30',
    { type: 'ack', payloadJSON: '{"fCnt":12}', publishedAt: at, streamID: '1677665730125-0' },
  ],
  [
    device.streamFrameLogs,
    '121e12027b7d1a1062383237656266666665313132323333220608c2cbfc9f06',
    {
      downlinkFrame: {
        txInfo: null,
        phyPayloadJSON: '{}',
        gatewayID: 'b827ebfffe112233',
        publishedAt: '2023-03-01T10:15:30Z',
      },
    },
  ],
];

/** Verifies that the value contains all expected members; it may have more. */
function assertHas(value: unknown, expected: object): void {
  for (const [name, one] of Object.entries(expected)) {
    const found = (value as Record<string, unknown>)[name];
    if (typeof one === 'object') assertHas(found, one as object);
    else assert.equal(found, one, name);
  }
}

describe('protobuf of the API', () => {
  for (const [operation, hex, expected] of requests)
    it(`reads a request of ${operation.key}`, () => {
      assertHas(parseRequestBytes(operation, Uint8Array.fromHex(hex)), expected);
    });

  for (const [operation, hex, value] of answers)
    it(`writes an answer of ${operation.key}`, () => {
      assert.equal(answerBytes(operation.response, value as never).toHex(), hex);
    });

  it('names the invalid fields, as JSON does', () => {
    const refused = (operation: Operation, hex: string) => {
      try {
        parseRequestBytes(operation, Uint8Array.fromHex(hex));
      } catch (error) {
        assert.ok(error instanceof ApiError);
        return [error.code, ...error.fieldViolations.map(({ field }) => field)];
      }
      return 'taken';
    };
    assert.deepEqual(refused(device.get, ''), [3, 'devEUI']);
    assert.deepEqual(refused(device.get, '0a027a7a'), [3, 'devEUI']);
    assert.deepEqual(refused(device.create, ''), [3, 'device']);
    assert.deepEqual(refused(device.get, '0aff'), [3]);
    // A number that the enumeration does not define.
    const { create } = operations.multicastGroup;
    const [number] = create.request.fields.multicastGroup.message!.numbers.slice(
      Object.keys(create.request.fields.multicastGroup.message!.fields).indexOf('groupType'),
    );
    const inner = Uint8Array.of(number! << 3, 99);
    const whole = Uint8Array.of(0x0a, inner.length, ...inner);
    assert.ok(refused(create, whole.toHex()).includes('multicastGroup.groupType'));
  });

  it('has the paths of the published services', () => {
    assert.equal(grpcPath(device.getKeys), '/api.DeviceService/GetKeys');
  });
});
