import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectHTTP2 } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { encodePacket } from '@hilltop/gateway-protocols';
import { WebSocket } from 'ws';
import { createTestClient } from '../testing/client.ts';
import {
  type CutTarget,
  cutEverywhere,
  record,
  sendBrokenDatagrams,
  sendMutated,
} from '../testing/cut-conversations.ts';
import { createAPIKey, createOrganization } from '../testing/factories.ts';
import { createGateway } from '../testing/field.ts';
import { connectMQTT, subscribe } from '../testing/mqtt.ts';
import { adminPassword, type ServerProcess, startServerProcess } from '../testing/server-process.ts';
import type { TestApp } from '../testing/test-app.ts';

const uplink = {
  msgtype: 'updf',
  MHdr: 64,
  DevAddr: 67_305_985,
  FCtrl: 128,
  FCnt: 1,
  FOpts: '',
  FPort: 10,
  FRMPayload: 'aabb',
  MIC: 134_678_021,
  RefTime: 0,
  DR: 5,
  Freq: 868_100_000,
  upinfo: { rctx: 0, xtime: 1, gpstime: 0, fts: -1, rssi: -60, snr: 7, rxtime: 1_636_131_701.5 },
};

describe('a server whose connections to gateways and join servers are cut or corrupted', () => {
  let server: ServerProcess;
  let key: string;
  let gatewayID: string;
  let stationID: string;
  before(async () => {
    server = await startServerProcess();
    const client = createTestClient(server.url);
    const token = await client.signIn('admin@hilltop.local', adminPassword);
    const app = {
      url: server.url,
      adminToken: token,
      ...client,
      call: (operation: never, input: never, as = token) => client.call(operation, input, as),
    } as unknown as TestApp;
    const organizationID = await createOrganization(app);
    gatewayID = await createGateway(app, organizationID);
    stationID = await createGateway(app, organizationID);
    key = (await createAPIKey(app, { isAdmin: true })).token;
  });
  after(() => server[Symbol.asyncDispose]());

  /** Verifies that each listener still works. */
  async function staysAlive(): Promise<void> {
    assert.equal(server.errors(), '');
    const { ports } = server;
    assert.equal((await fetch(`${server.url}/health`)).status, 200);
    const program = await connectMQTT(`mqtt://127.0.0.1:${ports.mqtt}`, { username: 'x', password: key });
    await program[Symbol.asyncDispose]();
    const station = new WebSocket(`ws://127.0.0.1:${ports.basicsStation}/router-info`);
    await once(station, 'open');
    station.send(JSON.stringify({ router: gatewayID }));
    const [answer] = (await once(station, 'message')) as [Buffer];
    assert.match(answer.toString(), /"uri"/);
    const gateway = createSocket('udp4');
    gateway.send(encodePacket({ type: 'PULL_DATA', version: 2, token: 1, gatewayID }), ports.udp, '127.0.0.1');
    await once(gateway, 'message');
    gateway.close();
    assert.equal((await fetch(`http://127.0.0.1:${ports.joinServer}`, { method: 'POST', body: '{}' })).status, 400);
    const session = connectHTTP2(`http://127.0.0.1:${ports.grpc}`);
    await once(session, 'remoteSettings');
    session.destroy();
    assert.equal(server.errors(), '');
  }

  async function talkMQTT(url: string): Promise<void> {
    const someone = await connectMQTT(url, { username: 'x', password: key, rejectUnauthorized: false });
    await subscribe(someone.client, 'application/#', 1);
    await someone.client.publishAsync('application/1/device/0102030405060708/command/down', '{}', { qos: 0 });
    await someone[Symbol.asyncDispose]();
  }

  interface Conversation {
    target: () => CutTarget;
    talk: () => Promise<Buffer>;
    step?: number;
  }
  const plain = (listener: keyof ServerProcess['ports']) => () => ({ port: server.ports[listener] });
  const conversations: Record<string, Conversation> = {
    MQTT: {
      target: plain('mqtt'),
      talk: () => record(server.ports.mqtt, (port) => talkMQTT(`mqtt://127.0.0.1:${port}`)),
    },
    'the TLS handshake of MQTT': {
      target: plain('mqtts'),
      talk: () => record(server.ports.mqtts, (port) => talkMQTT(`mqtts://127.0.0.1:${port}`)),
      step: 7,
    },
    'MQTT within TLS': {
      target: () => ({ port: server.ports.mqtts, tls: { rejectUnauthorized: false } }),
      talk: () => record(server.ports.mqtt, (port) => talkMQTT(`mqtt://127.0.0.1:${port}`)),
      step: 9,
    },
    'MQTT by websocket': {
      target: plain('http'),
      talk: () => record(server.ports.http, (port) => talkMQTT(`ws://127.0.0.1:${port}/mqtt`)),
    },
    'the query of a station': {
      target: plain('basicsStation'),
      talk: () =>
        record(server.ports.basicsStation, async (port) => {
          const station = new WebSocket(`ws://127.0.0.1:${port}/router-info`);
          await once(station, 'open');
          station.send(JSON.stringify({ router: gatewayID }));
          await once(station, 'close');
        }),
    },
    'the connection of a station': {
      target: plain('basicsStation'),
      talk: () =>
        record(server.ports.basicsStation, async (port) => {
          const station = new WebSocket(`ws://127.0.0.1:${port}/gateway/${stationID}`);
          await once(station, 'open');
          station.send(
            JSON.stringify({ msgtype: 'version', station: '2.0.6', model: 'corecell', protocol: 2, features: 'gps' }),
          );
          await once(station, 'message');
          station.send(JSON.stringify(uplink));
          station.send(JSON.stringify({ msgtype: 'timesync', txtime: 1 }));
          await once(station, 'message');
          station.close();
          await once(station, 'close');
        }),
    },
    'a join-request': {
      target: plain('joinServer'),
      talk: async () => {
        const body = JSON.stringify({
          ProtocolVersion: '1.0',
          SenderID: '000013',
          ReceiverID: '70b3d57ed0000001',
          TransactionID: 7,
          MessageType: 'JoinReq',
          MACVersion: '1.0.3',
          DevEUI: '0102030405060708',
          DevAddr: '26012345',
          PHYPayload: '00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91e',
          DLSettings: '03',
          RxDelay: 1,
        });
        const head = `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n`;
        return Buffer.from(`${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`);
      },
      step: 2,
    },
    'the gRPC of a network server': {
      target: plain('grpc'),
      talk: () =>
        record(server.ports.grpc, async (port) => {
          const session = connectHTTP2(`http://127.0.0.1:${port}`).on('error', () => undefined);
          for (const method of ['HandleUplinkData', 'HandleError', 'NoSuchMethod']) {
            const path = `/as.ApplicationServerService/${method}`;
            const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
            const call = session
              .request(headers)
              .on('error', () => undefined)
              .resume();
            call.end(Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 1, 2]));
            await new Promise((resolve) => call.once('close', resolve));
          }
          session.close();
        }),
    },
  };

  for (const [name, { target, talk, step = 1 }] of Object.entries(conversations)) {
    it(`survives when ${name} is cut after each byte, or bytes of it are changed`, async () => {
      const bytes = await talk();
      await cutEverywhere(target(), bytes, { step });
      await sendMutated(target(), bytes);
      await staysAlive();
    });
  }

  it('survives arbitrary datagrams', async () => {
    const rxpk = { tmst: 1, freq: 868.1, datr: 'SF7BW125', codr: '4/5', rssi: -60, lsnr: 7, stat: 1, size: 15 };
    const frame = Buffer.from(Uint8Array.of(0x40, 1, 2, 3, 4, 0x80, 1, 0, 10, 0xaa, 0xbb, 5, 6, 7, 8));
    const stat = { time: '2020-01-01 00:00:00 GMT', rxnb: 1, rxok: 1, rxfw: 1, ackr: 100, dwnb: 0, txnb: 0 };
    const json = JSON.stringify({ rxpk: [{ ...rxpk, modu: 'LORA', data: frame.toString('base64') }], stat });
    const push = Buffer.concat([Buffer.from([2, 1, 2, 0]), Buffer.from(gatewayID, 'hex'), Buffer.from(json)]);
    const acknowledged = Buffer.concat([
      Buffer.from([2, 1, 2, 5]),
      Buffer.from(gatewayID, 'hex'),
      Buffer.from('{"txpk_ack":{"error":"NONE"}}'),
    ]);
    const pull = Buffer.from(encodePacket({ type: 'PULL_DATA', version: 2, token: 1, gatewayID }));
    await sendBrokenDatagrams(server.ports.udp, [push, pull, acknowledged]);
    await staysAlive();
  });
});
