/** Endpoints that refuse requests and echo them: no secret may reach a response or log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type IntegrationKindName, integrationKinds, type Operation, operations } from '@hilltop/contract';
import { pino } from 'pino';
import { buildEvent } from '../../events/event.ts';
import { instanceCount } from '../../testing/databases.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
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
  });
