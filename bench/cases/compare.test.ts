import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import type { Bench } from '../case.ts';
import { createComparedRecords } from '../driver/compared-server.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import type { UplinkResult } from '../driver/uplink-run.ts';
import { readOptions } from '../options.ts';
import { compare, embeddedBroker, whatIsMissing } from './compare.ts';

let server: BenchServer;
let key: string;

before(async () => {
  server = await startServer({ settings: {} });
  key = (await server.client.internal.createAPIKey({ apiKey: { name: 'compare', isAdmin: true } })).jwtToken;
});
after(() => server[Symbol.asyncDispose]());

function benchOf(...args: readonly string[]): Bench {
  return { ...readOptions(args), settings: {}, say: () => {} };
}

it('measures a server by its addresses, and leaves no records there', async () => {
  const { hilltop, client } = server;
  const { id: applicationID } = await anyApplication();
  const address = ['--api', hilltop.url, '--token', key, '--udp', `127.0.0.1:${hilltop.udpPort}`];
  const mqtt = await embeddedBroker(client, applicationID);
  const run = ['--quick', '--rate', '100', '--seconds', '1', '--pid', `hilltop=${hilltop.pid()}`];
  const { measured } = await compare(benchOf(...address, '--mqtt', mqtt, ...run));

  const [result] = measured as UplinkResult[];
  const { sent, acknowledged, delivered, lost, duplicates, each, memoryMB } = result!;
  assert.deepEqual([sent, acknowledged, delivered, lost, duplicates], [100, 100, 100, 0, 0]);
  assert.deepEqual(Object.keys(each), ['hilltop', 'driver']);
  assert.ok(each['hilltop']! > 0 && memoryMB['hilltop']! > 50, JSON.stringify({ each, memoryMB }));
  const organizations = (await client.organization.list({ limit: 10 })).result;
  assert.deepEqual(
    organizations.filter(({ name }) => name.startsWith('bench-')),
    [],
  );
  assert.equal((await client.gateway.list({ limit: 100 })).totalCount, '0');
});

it('says what is wrong with the API or its key', async () => {
  const { url } = server.hilltop;
  await assert.rejects(createComparedRecords(url, 'wrong', 1), /refuses the token: create a key of a global admin/);
  const [organization] = (await server.client.organization.list({ limit: 1 })).result;
  const apiKey = { name: 'narrow', organizationID: organization!.id };
  const { jwtToken: narrow } = await server.client.internal.createAPIKey({ apiKey });
  await assert.rejects(createComparedRecords(url, narrow, 1), /must be one of a global admin/);

  const other = createServer((_, response) => response.writeHead(404).end('no such page'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  await assert.rejects(createComparedRecords(address, key, 1), /has no API of version 3 .*--fleet\.$/);
  other.close();
  other.closeAllConnections();
  await once(other, 'close');
  await assert.rejects(createComparedRecords(address, key, 1), /is not reachable: .* Check --api\.$/);
});

it('says what to check when no event arrives', () => {
  const field = { udp: { host: 'h', port: 1700 }, mqtt: 'mqtt://user:secret@broker:1883', gatewayIDs: ['b0', 'b1'] };
  assert.equal(
    whatIsMissing({ sent: 600, acknowledged: 0 }, field),
    'No PUSH_ACK from h:1700 for 600 uplinks: check --udp.',
  );
  const text = whatIsMissing({ sent: 600, acknowledged: 599 }, field);
  assert.match(text, /^599 of 600 uplinks were acknowledged, and no event arrived at broker:1883 within 10 s\./);
  assert.ok(!text.includes('secret'));
});

it('refuses the id of a process that does not run', async () => {
  const address = ['--fleet', 'x', '--udp', '127.0.0.1:1', '--mqtt', 'mqtt://127.0.0.1:1', '--pid', 'ns=999999999'];
  await assert.rejects(compare(benchOf(...address)), /--pid ns=999999999: there is no such process\./);
});

async function anyApplication() {
  const { client } = server;
  const [organization] = (await client.organization.list({ limit: 1 })).result;
  const [networkServer] = (await client.networkServer.list({ limit: 1 })).result;
  const owned = { organizationID: organization!.id, networkServerID: networkServer!.id };
  const { id: serviceProfileID } = await client.serviceProfile.create({ serviceProfile: { ...owned, name: 'any' } });
  return client.application.create({
    application: { name: 'any', description: 'any', organizationID: organization!.id, serviceProfileID },
  });
}
