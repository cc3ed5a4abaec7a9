/** External join servers over real sockets: their answers, and joins without an answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { JoinRequest } from '@hilltop/network-server';
import { pino } from 'pino';
import { createKeyEnvelopes } from '../../key-envelopes.ts';
import { createAuthority } from '../../testing/certificates.ts';
import { joinServerByJoinEUI } from './by-join-eui.ts';
import { joinServerElsewhere } from './client.ts';
import { joinServerSettings } from './settings.ts';

const log = pino({ level: 'silent' });
const envelopes = createKeyEnvelopes(new Map([['as', Uint8Array.fromHex('ffeeddccbbaa99887766554433221100')]]));
const request: JoinRequest = {
  joinType: 'join',
  phyPayload: Uint8Array.fromHex('00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91e'),
  devEUI: '0a1b2c3d4e5f6071',
  joinEUI: '70b3d57ed0000001',
  devNonce: 0x1234,
  macVersion: '1.0.3',
  netID: '000013',
  devAddr: '26012345',
  dlSettings: { optNeg: false, rx1DROffset: 0, rx2DataRate: 3 },
  rxDelay: 1,
  cFList: { type: 0, frequencies: [867_100_000, 0, 0, 0, 0] },
};
const good = {
  MessageType: 'JoinAns',
  Result: { ResultCode: 'Success' },
  PHYPayload: '200190a03994e05cc947809435a26438de',
  NwkSKey: { KEKLabel: '', AESKey: '2d13898ea763059d8acdfe65f15f3233' },
  AppSKey: { KEKLabel: 'as', AESKey: '930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717' },
};
type Asked = Record<string, unknown> & { TransactionID: number };
type Behave = (asked: Asked, response: ServerResponse) => void;

const answering =
  (change: object | ((asked: Asked) => object) = {}, status = 200): Behave =>
  (asked, response) => {
    const { TransactionID } = asked;
    const changed = typeof change === 'function' ? change(asked) : change;
    response.writeHead(status).end(JSON.stringify({ TransactionID, ...good, ...changed }));
  };

/** A join server that the test controls. */
async function startPeer(behave: Behave) {
  const asked: Asked[] = [];
  const server = createServer((incoming: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()) as Asked);
      behave(asked.at(-1)!, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/join`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function clientOf(url: string, timeoutMs = 2000) {
  const counts: string[] = [];
  const count = (name: string, labels: Record<string, string> = {}) => void counts.push(`${name} ${labels['result']}`);
  return { counts, ...joinServerElsewhere({ url, envelopes, log, count, timeoutMs }) };
}

describe('an external join server', () => {
  it('gets the specified request, and its answer completes a join', async () => {
    await using peer = await startPeer(answering());
    const client = clientOf(peer.url);
    const answer = await client.join(request);
    client.close();
    const { TransactionID: _, ...asked } = peer.asked[0]!;
    assert.deepEqual(asked, {
      ProtocolVersion: '1.0',
      SenderID: '000013',
      ReceiverID: '70b3d57ed0000001',
      MessageType: 'JoinReq',
      MACVersion: '1.0.3',
      PHYPayload: request.phyPayload.toHex(),
      DevEUI: request.devEUI,
      DevAddr: '26012345',
      DLSettings: '03',
      RxDelay: 1,
      CFList: '184f84000000000000000000000000' + '00',
    });
    const nwkSKey = Uint8Array.fromHex('2d13898ea763059d8acdfe65f15f3233');
    assert.deepEqual(answer, {
      result: 'Success',
      phyPayload: Uint8Array.fromHex(good.PHYPayload),
      clear: null,
      fNwkSIntKey: nwkSKey,
      sNwkSIntKey: nwkSKey,
      nwkSEncKey: nwkSKey,
      appSKey: { kekLabel: '', aesKey: Uint8Array.fromHex('04d3df89c8a14f26ace47e8242616a6f') },
      effects: [],
    });
    assert.deepEqual(client.counts, ['join_servers_asked Success']);
  });

  it('gets a rejoin-request as such', async () => {
    await using peer = await startPeer(answering({ MessageType: 'RejoinAns' }));
    const client = clientOf(peer.url);
    assert.equal((await client.join({ ...request, joinType: 'rejoin0' })).result, 'Success');
    client.close();
    assert.equal(peer.asked[0]!['MessageType'], 'RejoinReq');
  });

  const other = 'ffeeddccbbaa99887766554433221100';
  const refusals: [what: string, behave: Behave, result: string, says: RegExp][] = [
    ['MICFailed', answering({ Result: { ResultCode: 'MICFailed' } }), 'MICFailed', /refused: MICFailed\.$/],
    ['UnknownDevEUI', answering({ Result: { ResultCode: 'UnknownDevEUI' } }, 400), 'UnknownDevEUI', /UnknownDevEUI/],
    ['any other code', answering({ Result: { ResultCode: 'X', Description: 'why' } }), 'Other', /refused: X, why\.$/],
    ['an answer to something else', answering({ TransactionID: -1 }), 'Other', /something else than was asked/],
    [
      'another transaction',
      answering(({ TransactionID }) => ({ TransactionID: TransactionID ^ 1 })),
      'Other',
      /something else/,
    ],
    ['another message', answering({ MessageType: 'RejoinAns' }), 'Other', /something else/],
    ['no join-accept', answering({ PHYPayload: '20' }), 'Other', /without join-accept or session keys/],
    ['no keys', answering({ AppSKey: null }), 'Other', /without join-accept or session keys/],
    ['a short key', answering({ NwkSKey: { KEKLabel: '', AESKey: '00' } }), 'Other', /has 1 bytes instead of 16/],
    ['an unknown label', answering({ AppSKey: { KEKLabel: 'js', AESKey: other } }), 'Other', /"js": add it to HILLTOP/],
    ['a wrong wrapping', answering({ AppSKey: { KEKLabel: 'as', AESKey: other } }), 'Other', /was not wrapped/],
    ['no JSON', (_, response) => response.writeHead(502).end('<html>'), 'Other', /answered HTTP 502 without JSON/],
    ['too much', (_, response) => response.end(`"${'x'.repeat(70_000)}"`), 'Other', /more than 64 kB/],
    ['a broken connection', (_, response) => response.destroy(), 'Other', /cannot be reached/],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('{');
        response.destroy();
      },
      'Other',
      /cannot be reached/,
    ],
  ];
  for (const [what, behave, result, says] of refusals) {
    it(`refuses with a sentence: ${what}`, async () => {
      await using peer = await startPeer(behave);
      const client = clientOf(peer.url);
      const answer = await client.join(request);
      client.close();
      assert.equal(answer.result, result);
      assert.ok(answer.result !== 'Success');
      assert.match(answer.description, says);
      assert.equal(answer.description.includes('2d13898e'), false);
    });
  }

  it('is given up after a time limit, or when it cannot be reached', async () => {
    await using peer = await startPeer(() => undefined);
    const client = clientOf(peer.url, 50);
    const late = await client.join(request);
    client.close();
    assert.ok(late.result !== 'Success');
    assert.match(late.description, /did not answer within 0.05 s/);
    const nobody = clientOf('http://127.0.0.1:1/');
    const gone = await nobody.join(request);
    nobody.close();
    assert.ok(gone.result !== 'Success');
    assert.match(gone.description, /cannot be reached \(ECONNREFUSED\)/);
    assert.deepEqual(nobody.counts, ['join_servers_asked failed']);
  });

  it('gets a limited number of requests at once; more are refused at once', async () => {
    const held: ServerResponse[] = [];
    await using peer = await startPeer((_, response) => void held.push(response));
    const client = clientOf(peer.url, 60_000);
    const waiting = Array.from({ length: 64 }, () => client.join(request));
    const one = await client.join(request);
    assert.ok(one.result !== 'Success');
    assert.match(one.description, /Too many requests wait/);
    client.close();
    await Promise.all(waiting);
  });

  it('is called over TLS with a client certificate', async () => {
    const authority = await createAuthority();
    const [clientIdentity, serverIdentity] = [await authority.issue('client'), await authority.issue('server')];
    const tls = {
      ca: serverIdentity.ca,
      cert: serverIdentity.cert,
      key: serverIdentity.key,
      requestCert: true,
      rejectUnauthorized: true,
    };
    const server = createSecureServer(tls, (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => answering()(JSON.parse(chunk.toString()) as Asked, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const files = {
      ca: Buffer.from(clientIdentity.ca),
      cert: Buffer.from(clientIdentity.cert),
      key: Buffer.from(clientIdentity.key),
    };
    for (const [given, result] of [
      [files, 'Success'],
      [{ ca: files.ca }, 'Other'],
      [{}, 'Other'],
    ] as const) {
      const client = joinServerElsewhere({ url, tls: given, envelopes, log, count: () => undefined });
      assert.equal((await client.join(request)).result, result);
      client.close();
    }
    server.closeAllConnections();
    server.close();
  });
});

describe('join servers by JoinEUI', () => {
  it('the narrowest range applies, and the embedded one serves all others', async () => {
    await using wide = await startPeer(answering());
    await using narrow = await startPeer(answering());
    const own: string[] = [];
    const ours = {
      join: async ({ joinEUI }: JoinRequest) => {
        own.push(joinEUI);
        return { result: 'Other', description: '' } as const;
      },
    };
    const settings = joinServerSettings.joinServers.parse(
      JSON.stringify([
        { joinEUI: '70b3d57e00000000/32', url: wide.url },
        { joinEUI: '70b3d57ed0000001', url: narrow.url },
      ]),
    );
    const servers = await joinServerByJoinEUI(ours, settings, { envelopes, log, count: () => undefined });
    for (const joinEUI of ['70b3d57ed0000001', '70b3d57ed0000002', '70b3d57f00000000', '0000000000000000'])
      await servers.join({ ...request, joinEUI });
    servers.close();
    assert.deepEqual(
      narrow.asked.map(({ ReceiverID }) => ReceiverID),
      ['70b3d57ed0000001'],
    );
    assert.deepEqual(
      wide.asked.map(({ ReceiverID }) => ReceiverID),
      ['70b3d57ed0000002'],
    );
    assert.deepEqual(own, ['70b3d57f00000000', '0000000000000000']);
  });

  it('a missing file stops the start', async () => {
    const settings = joinServerSettings.joinServers.parse([
      { joinEUI: '0000000000000000/0', url: 'https://js.example.org', caCert: '/nowhere.pem' },
    ]);
    const needs = { envelopes, log, count: () => undefined };
    const own = { join: () => Promise.reject(new Error('not asked')) };
    await assert.rejects(
      joinServerByJoinEUI(own, settings, needs),
      /\/nowhere\.pem \(caCert in HILLTOP_JOIN_SERVERS\)/,
    );
  });
});
