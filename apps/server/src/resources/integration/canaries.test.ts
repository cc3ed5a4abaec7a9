/** Endpoints that refuse requests and echo them: no secret may reach a response or log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  allOperations,
  type DownloadKindName,
  type Field,
  type IntegrationKindName,
  integrationKinds,
  type Message,
  type Operation,
  operations,
} from '@hilltop/contract';
import { pino } from 'pino';
import { buildEvent } from '../../events/event.ts';
import { instanceCount } from '../../testing/databases.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
import { wellMeant } from '../../testing/odd-requests.ts';
import { integrationOf, oneOfEverything } from '../../testing/one-of-everything.ts';
import { startTestApp } from '../../testing/test-app.ts';

const { application, delivery, device, integration: signing } = operations;

/** Echoes the request: address, headers and body. */
async function repeat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const part of request) body += String(part);
  response.writeHead(400).end(`${request.url} ${JSON.stringify(request.headers)} ${body}`.slice(0, 500));
}

/** Integrations whose address the owner sets. */
const addressed = {
  HTTP: 'eventEndpointURL',
  INFLUXDB: 'endpoint',
  THINGSBOARD: 'server',
  PILOT_THINGS: 'server',
} as const satisfies Partial<Record<IntegrationKindName, string>>;

const hexCanary = '5ca1ab1e'.repeat(4);
const textCanary = 'canary-of-any-field';

/** Deletions come last. */
const weightOf = ({ method }: Operation): number => Number(method === 'DELETE');

/** The request with a canary in each field that is a secret, or can have one. */
function withCanaries(
  { fields }: Message,
  request: Record<string, unknown>,
  path: string,
  given: Set<string>,
): Record<string, unknown> {
  for (const [name, field] of Object.entries(fields)) {
    const at = `${path}.${name}`;
    const isSecret = field.facts.secret === true || field.facts.secretWhen !== undefined;
    if (isSecret || name === 'variables') {
      given.add(at);
      request[name] = canaryFor(field);
    } else if (field.kind === 'message' && request[name] !== undefined)
      withCanaries(field.message!, request[name] as Record<string, unknown>, at, given);
    else if (field.kind === 'list' && field.of?.kind === 'message') {
      const item = withCanaries(field.of.message!, wellMeant(field.of.message!, {}), at, new Set());
      if (JSON.stringify(item).includes('canary')) {
        given.add(at);
        request[name] = [item];
      }
    }
  }
  return request;
}

function canaryFor({ kind, facts: { pattern } }: Field): unknown {
  if (kind === 'map') return { token: textCanary };
  if (kind === 'bytes') return Buffer.from(textCanary).toString('base64');
  return pattern !== undefined && new RegExp(pattern, 'u').test(hexCanary) && !new RegExp(pattern, 'u').test(textCanary)
    ? hexCanary
    : textCanary;
}

// With several instances there is no single file with all data.
if (instanceCount === 0)
  describe('secrets of integrations', () => {
    it('are in no response, no log, and nowhere in plain text on the disk', async () => {
      const lines: string[] = [];
      const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
      await using app = await startTestApp('sqlite', { outgoingAllow: '127.0.0.1' }, { log });
      const server = createServer((request, response) => void repeat(request, response)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;

      const surroundings = await createSurroundings(app);
      const { applicationID } = surroundings;
      const devEUI = await createDevice(app, surroundings);
      const variables = { ThingsBoardAccessToken: 'canary-thingsboard' };
      const { device: made } = await app.call(device.get, { devEUI });
      await app.call(device.update, { device: { ...made, variables } });
      const byKey: Readonly<Record<string, Operation>> = application;
      const answers: unknown[] = [];
      for (const [kind, address] of Object.entries(addressed) as [keyof typeof addressed, string][]) {
        const { rpc } = integrationKinds[kind];
        const integration = { applicationID, ...sampleIntegrations[kind], [address]: url };
        await app.call(byKey[`create${rpc}Integration`]!, { integration } as object);
        answers.push(await app.call(byKey[`get${rpc}Integration`]!, { applicationID } as object));
      }
      const { secret } = await app.call(signing.makeSigningSecret, { applicationID });

      const { database, devices, recorder } = app.parts;
      const overview = async () => (await app.call(delivery.overview, { applicationID })).result;
      const until = async (isSo: () => Promise<boolean>) => {
        for (let tries = 0; tries < 1000; tries += 1) {
          if (await isSo()) return;
          await pause(20);
        }
        assert.fail('it never came');
      };
      await until(async () => (await overview()).length === Object.keys(addressed).length);
      const context = (await devices.of(devEUI))!;
      const event = buildEvent('up', context, new Date(), { fPort: 1, objectJSON: '{"x":1}' });
      await database.transaction(() =>
        recorder.record({ about: 'test', devEUI, at: new Date(), events: [event] }).write(),
      );
      await until(async () => (await overview()).every(({ parked }) => parked > 0));
      for (const kind of Object.keys(addressed)) {
        answers.push(await app.call(delivery.test, { applicationID, kind }));
        answers.push(await app.call(delivery.log, { applicationID, kind, limit: 100 }));
        answers.push(await app.call(delivery.listDead, { applicationID, kind, limit: 100 }));
      }
      answers.push(await overview(), await app.call(delivery.ofDevice, { devEUI }));
      server.closeAllConnections();
      server.close();

      assert.ok(JSON.stringify(answers).includes('•••'), 'the endpoints repeated something');
      for (const text of [...lines, ...answers.map((one) => JSON.stringify(one))]) {
        assert.ok(!text.includes('canary'), text.slice(0, 500));
        assert.ok(!text.includes(secret), text.slice(0, 500));
      }
      const basic = Buffer.from('writer:canary-influx-password').toString('base64');
      for (const file of ['hilltop.db', 'hilltop.db-wal']) {
        const bytes = await readFile(join(app.parts.config.data, file));
        // Variables of devices are stored in plain text: codecs and users read them.
        const canaries = bytes.toString('latin1').match(/canary[-\w]*/g) ?? [];
        assert.deepEqual(
          canaries.filter((word) => word !== 'canary-thingsboard'),
          [],
        );
        assert.ok(!bytes.includes(secret) && !bytes.includes(basic));
      }
    });

    it('given for any secret field are in no log line, audit download, diagnosis file or refusal', async () => {
      const lines: string[] = [];
      const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
      await using app = await startTestApp('sqlite', {}, { log });
      const world = await oneOfEverything(app);
      const devEUI = world.known['devEUI'] as string;
      const texts: string[] = [];
      const given = new Set<string>();
      const withSecrets = allOperations.filter(({ effect, stream }) => effect !== 'send' && !stream);
      for (const operation of withSecrets.toSorted((one, other) => weightOf(one) - weightOf(other))) {
        const { key, rpc, request } = operation;
        const known = { ...world.known, ...world.ids[key.split('.')[0]!], ...integrationOf(rpc) };
        const before = given.size;
        const call = withCanaries(request, wellMeant(request, known), `${key} `, given);
        if (given.size === before) continue;
        await app
          .call(operation, call as never)
          .catch((error: unknown) => texts.push(JSON.stringify(error), String(error)));
      }
      assert.ok(given.size > 60, `only ${given.size} secret fields`);
      assert.ok(texts.length > 0);

      const file = async (kind: DownloadKindName, format: 'CSV' | 'NDJSON' | 'JSON', request: object) => {
        const { url } = await app.call(operations.download.create, {
          kind,
          format,
          requestJSON: JSON.stringify(request),
        });
        return (await app.fetch(url)).text();
      };
      const { id } = await app.call(operations.organization.create, {
        organization: { name: 'the-end', displayName: 'The end' },
      });
      assert.ok(id);
      const audit = await file('AUDIT', 'NDJSON', {});
      assert.match(audit, /the-end/);
      texts.push(audit, await file('AUDIT', 'CSV', {}), await file('DIAGNOSIS', 'JSON', { devEUI }));
      for (const text of [...lines, ...texts])
        for (const canary of [hexCanary, textCanary, Buffer.from(textCanary).toString('base64')]) {
          const at = text.indexOf(canary);
          assert.equal(at, -1, text.slice(Math.max(0, at - 300), at + 60));
        }
    });
  });
