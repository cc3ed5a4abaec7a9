import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApiError,
  allOperations,
  complete,
  Device,
  parseMessage,
  parseRequest,
  type RawRequest,
  ServiceProfile,
} from './index.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

const devEUI = '0a1b2c3d4e5f6071';
const uuid = '3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11';
const device = { devEUI, name: 'soil-1', applicationID: '7', deviceProfileID: uuid };

function violations(run: () => unknown): readonly (readonly [string, string])[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 3);
    return error.fieldViolations.map(({ field, description }) => [field, description]);
  }
  return assert.fail('nothing was refused');
}

describe('parseRequest', () => {
  it('reads both spellings, JSON first', () => {
    const body = {
      service_profile: { name: 'a', service_profile: 1, dr_max: 5, addGWMetaData: true, add_gw_metadata: false },
    };
    const { serviceProfile } = parseRequest(operations.serviceProfile.create, { path: [], body });
    assert.equal(serviceProfile.drMax, 5);
    assert.equal(serviceProfile.addGWMetaData, true);
    assert.deepEqual(serviceProfile, complete(ServiceProfile, { name: 'a', drMax: 5, addGWMetaData: true }));
  });

  it('prefers the path to the body, in either spelling of the body', () => {
    for (const body of [
      { device },
      { device: { ...device, devEUI: undefined, dev_eui: 'ffffffffffffffff' } },
      { device: { ...device, devEUI: 'ff' } },
    ]) {
      const read = parseRequest(operations.device.update, { path: [devEUI.toUpperCase()], body });
      assert.deepEqual(read.device, complete(Device, device));
    }
  });

  it('does not change the given body', () => {
    const body = Object.freeze({ device: Object.freeze({ ...device, devEUI: '' }) });
    parseRequest(operations.device.update, { path: [devEUI], body });
    assert.equal(body.device.devEUI, '');
  });

  it('reads queries in both spellings, with maps, 0x numbers and times', () => {
    const query = {
      limit: '10',
      offset: '0x10',
      application_id: '7',
      'tags[site]': 'north',
      'tags[a.b]': 'c',
      unknown: 'x',
    };
    assert.deepEqual(parseRequest(operations.device.list, { path: [], query }), {
      limit: 10,
      offset: 16,
      applicationID: '7',
      search: '',
      multicastGroupID: '',
      serviceProfileID: '',
      tags: { site: 'north', 'a.b': 'c' },
      orderBy: '',
      filter: [],
      organizationID: '0',
      include: [],
    });
    const stats = { interval: 'day', startTimestamp: '2023-03-01T00:00:00Z', end_timestamp: '2023-03-02T00:00:00Z' };
    const read = parseRequest(operations.device.getStats, { path: [`0x${devEUI}`], query: stats });
    assert.deepEqual([read.devEUI, read.interval, read.endTimestamp], [devEUI, 'day', '2023-03-02T00:00:00Z']);
    assert.equal(
      parseRequest(operations.deviceQueue.list, { path: [devEUI], query: { countOnly: 'true' } }).countOnly,
      true,
    );
  });

  for (const [given, orderBy] of [
    [{ orderBy: '-lastSeenAt' }, '-lastSeenAt'],
    [{ order_by: 'devEUI' }, 'devEUI'],
    [{ orderBy: '' }, ''],
    [{}, ''],
  ] as const) {
    it(`reads the order of ${JSON.stringify(given)}`, () => {
      assert.equal(parseRequest(operations.device.list, { path: [], query: given }).orderBy, orderBy);
    });
  }

  for (const orderBy of ['nmae', '--name', '-', 'NAME', 'created_at', 'toString']) {
    it(`refuses the order ${orderBy} and lists the valid ones`, () => {
      const query = { orderBy };
      assert.deepEqual(
        violations(() => parseRequest(operations.networkServer.list, { path: [], query })),
        [['orderBy', 'Must be one of id, -id, name, -name, server, -server, createdAt, -createdAt.']],
      );
    });
  }

  it('needs no limit', () => {
    assert.equal(parseRequest(operations.gateway.list, { path: [] }).limit, 0);
  });

  it('treats a limit above the maximum as the maximum', () => {
    for (const limit of ['10000', '10001', '2147483647'])
      for (const list of [operations.device.list, operations.gateway.list])
        assert.equal(parseRequest(list, { path: [], query: { limit } }).limit, 10_000, limit);
    const most = { limit: '9223372036854775807', offset: '9223372036854775807' };
    const { limit, offset } = parseRequest(operations.device.list, { path: [], query: most });
    assert.deepEqual([limit, offset], [10_000, Number.MAX_SAFE_INTEGER]);
  });

  it('limits tags, variables and payloads', () => {
    const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 'v']));
    const create = (more: object) =>
      parseRequest(operations.device.create, { path: [], body: { device: { ...device, ...more } } });
    const longest = { tags: { ...some(63), ['k'.repeat(128)]: 'v'.repeat(1024) }, variables: some(256) };
    assert.deepEqual(Object.keys(create(longest).device.tags).length, 64);
    for (const [more, field, text] of [
      [{ tags: some(65) }, 'device.tags', /at most 64 entries/],
      [{ tags: { ['k'.repeat(129)]: '' } }, 'device.tags', /at most 128 characters/],
      [{ tags: { key: 'v'.repeat(1025) } }, 'device.tags.key', /at most 1024 characters/],
      [{ variables: some(257) }, 'device.variables', /at most 256 entries/],
      [{ variables: { key: 'v'.repeat(4097) } }, 'device.variables.key', /at most 4096 characters/],
    ] as const) {
      const [[at, sentence] = []] = violations(() => create(more));
      assert.equal(at, field);
      assert.match(sentence!, text);
    }
    const enqueue = (bytes: number) =>
      parseRequest(operations.deviceQueue.enqueue, {
        path: [devEUI],
        body: { deviceQueueItem: { fPort: 1, data: new Uint8Array(bytes).toBase64() } },
      });
    for (const fits of [0, 1, 2, 240, 241, 242]) enqueue(fits);
    for (const not of [243, 244, 245])
      assert.deepEqual(
        violations(() => enqueue(not)),
        [['deviceQueueItem.data', 'Must have at most 242 bytes.']],
      );
  });

  const wrong: readonly (readonly [Operation, RawRequest, readonly string[]])[] = [
    [operations.device.list, { path: [], query: { limit: '-1' } }, ['limit']],
    [operations.device.list, { path: [], query: { offset: '99999999999999999999' } }, ['offset']],
    [operations.gateway.list, { path: [], query: { limit: '-10001', offset: '-5' } }, ['limit', 'offset']],
    [operations.device.list, { path: [], query: { limit: '' } }, ['limit']],
    [operations.device.list, { path: [], query: { limit: ['1', '2'] } }, ['limit']],
    [operations.device.list, { path: [], query: { 'tags[__proto__]': 'x' } }, ['tags']],
    [operations.device.list, { path: [], query: { serviceProfileID: 'x' } }, ['serviceProfileID']],
    [operations.device.get, { path: ['0a1b'] }, ['devEUI']],
    [operations.device.get, { path: [''] }, ['devEUI']],
    [operations.user.get, { path: ['one'] }, ['id']],
    [operations.user.get, { path: ['0'] }, ['id']],
    [operations.serviceProfile.get, { path: ['1'] }, ['id']],
    [operations.device.update, { path: [devEUI], body: {} }, ['device']],
    [operations.device.update, { path: [devEUI] }, ['device']],
    [operations.device.update, { path: [devEUI], body: { device: 'x' } }, ['device']],
    [operations.device.create, { path: [], body: [] }, ['']],
    [operations.device.create, { path: [], body: 'x' }, ['']],
    [operations.device.create, { path: [], body: { device: { ...device, name: 'x'.repeat(101) } } }, ['device.name']],
    [operations.device.create, { path: [], body: { device: { ...device, devEUI: 'zz' } } }, ['device.devEUI']],
    [
      operations.application.create,
      { path: [], body: { application: { name: 'a b', serviceProfileID: uuid } } },
      ['application.name'],
    ],
    [operations.organization.create, { path: [], body: { organization: { name: '' } } }, ['organization.name']],
    [
      operations.gateway.create,
      { path: [], body: { gateway: { id: devEUI, name: 'gw', boards: [{ fpgaID: '1' }] } } },
      ['gateway.boards[0].fpgaID'],
    ],
    [
      operations.user.create,
      { path: [], body: { user: { email: 'me@' }, password: 'short' } },
      ['user.email', 'password'],
    ],
    [operations.user.updatePassword, { path: ['1'], body: { password: '1234567' } }, ['password']],
    [operations.internal.createAPIKey, { path: [], body: { apiKey: { name: '  ' } } }, ['apiKey.name']],
    [
      operations.networkServer.create,
      { path: [], body: { networkServer: { name: 'n', server: 's:1', gatewayDiscoveryEnabled: true } } },
      ['networkServer.gatewayDiscoveryInterval'],
    ],
    [
      operations.deviceQueue.enqueue,
      { path: [devEUI], body: { deviceQueueItem: { fPort: 0 } } },
      ['deviceQueueItem.fPort'],
    ],
    [
      operations.deviceQueue.enqueue,
      { path: [devEUI], body: { deviceQueueItem: { fPort: 225 } } },
      ['deviceQueueItem.fPort'],
    ],
    [
      operations.device.getStats,
      { path: [devEUI], query: { interval: 'YEAR' } },
      ['interval', 'startTimestamp', 'endTimestamp'],
    ],
    [
      operations.deviceProfile.create,
      { path: [], body: { deviceProfile: { name: 'x', uplinkInterval: '-5s' } } },
      ['deviceProfile.uplinkInterval'],
    ],
    [operations.device.createKeys, { path: [devEUI], body: { deviceKeys: { nwkKey: 'ab' } } }, ['deviceKeys.nwkKey']],
  ];
  for (const [operation, raw, fields] of wrong) {
    it(`refuses ${operation.key} ${JSON.stringify(raw).slice(0, 90)}`, () => {
      const found = violations(() => parseRequest(operation, raw)).map(([field]) => field);
      assert.deepEqual(found, fields);
    });
  }

  for (const email of ['admin', 'admin@hilltop.local', "o'neil+x@example.co.uk"]) {
    it(`accepts the e-mail address ${email}`, () => {
      const body = { user: { email }, password: '12345678' };
      assert.equal(parseRequest(operations.user.create, { path: [], body }).user.email, email);
    });
  }

  it('accepts a device name with spaces, and an empty one, since only forms are stricter', () => {
    for (const name of ['Soil sensor 1', '']) {
      const body = { device: { ...device, name } };
      assert.equal(parseRequest(operations.device.create, { path: [], body }).device.name, name);
    }
  });

  const periods = allOperations.flatMap((operation) => {
    const names = Object.keys(operation.request.fields);
    const pair = [['start', 'end'] as const, ['from', 'to'] as const].find((two) =>
      two.every((name) => names.includes(name) && operation.request.fields[name]?.kind === 'timestamp'),
    );
    return pair ? [{ operation, pair }] : [];
  });

  it('knows the requests that have a period', () => {
    assert.deepEqual(periods.map(({ operation }) => operation.key).sort(), [
      'audit.list',
      'delivery.startReplay',
      'gatewayAirtime.get',
      'gatewayAirtime.list',
      'gatewayAvailability.get',
      'history.list',
      'history.listFrames',
      'series.get',
    ]);
  });

  for (const { operation, pair } of periods) {
    it(`refuses a period of ${operation.key} that ends before its start`, () => {
      const [start, end] = pair;
      const problemsOf = (from: string, to: string) => {
        try {
          parseMessage(operation.request, { [start]: from, [end]: to });
          return [];
        } catch (error) {
          return (error as ApiError).fieldViolations.filter(({ field }) => field === end);
        }
      };
      const at = (time: string) => `2026-11-28T${time}`;
      assert.deepEqual(problemsOf(at('05:00:00Z'), at('05:59:59+01:00')), [
        { field: end, description: 'Must not be before the start.' },
      ]);
      assert.deepEqual(problemsOf(at('05:00:00Z'), at('06:00:00+01:00')), []);
    });
  }

  it('accepts 0 as a name', () => {
    const body = { organization: { name: '0' } };
    assert.equal(parseRequest(operations.organization.create, { path: [], body }).organization.name, '0');
  });
});
