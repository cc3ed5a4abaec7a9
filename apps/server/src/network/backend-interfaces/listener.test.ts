/** The embedded join server as external network servers call it: published vectors over real sockets. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createAuthority } from '../../testing/certificates.ts';
import { databases } from '../../testing/databases.ts';
import { createSurroundings, type FieldContext, nwkKey } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const appKey = '101112131415161718191a1b1c1d1e1f';
const devEUI = '0a1b2c3d4e5f6071';
const asked = {
  ProtocolVersion: '1.0',
  SenderID: '000013',
  ReceiverID: '70b3d57ed0000001',
  TransactionID: 77,
  MessageType: 'JoinReq',
  MACVersion: '1.0.3',
  PHYPayload: '00010000d07ed5b37071605f4e3d2c1b0a3412eb23f91e',
  DevEUI: devEUI,
  DevAddr: '26012345',
  DLSettings: '03',
  RxDelay: 1,
};
const kek = 'ffeeddccbbaa99887766554433221100';

for (const kind of databases) {
  describe(`the join server for external network servers on ${kind}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(kind, {
        joinServer: '127.0.0.1:0',
        joinServerKEK: `as=${kek}, 00000a=${kek}`,
        joinServerASLabel: 'as',
      });
      surroundings = await createSurroundings(app);
      const { applicationID, deviceProfileID } = surroundings;
      const device = { devEUI, name: 'd', applicationID, deviceProfileID, variables: { home_netid: '60001a' } };
      await app.call(operations.device.create, { device });
      await app.call(operations.device.createKeys, { deviceKeys: { devEUI, nwkKey, appKey } });
    });
    after(() => app[Symbol.asyncDispose]());

    async function ask(body: unknown) {
      const response = await fetch(`http://127.0.0.1:${app.joinServerPort}/any/path`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const { status } = response;
      return { status, ...((await response.json()) as { Result?: { ResultCode: string; Description: string } }) };
    }
    /** Sets the JoinNonce and clears the DevNonces. */
    async function count(joinNonce: number) {
      const { query } = app.parts.database;
      await query
        .updateTable('device_keys')
        .set({ join_nonce: joinNonce - 1 })
        .where('dev_eui', '=', devEUI)
        .execute();
      await query.deleteFrom('ns_activation').where('dev_eui', '=', devEUI).execute();
    }

    it('answers a join of 1.0 with the published keys, the AppSKey wrapped', async () => {
      await count(7);
      assert.deepEqual(await ask(asked), {
        status: 200,
        ProtocolVersion: '1.0',
        SenderID: '70b3d57ed0000001',
        ReceiverID: '000013',
        TransactionID: 77,
        MessageType: 'JoinAns',
        VSExtension: {},
        Result: { ResultCode: 'Success', Description: '' },
        PHYPayload: '200190a03994e05cc947809435a26438de',
        NwkSKey: { KEKLabel: '', AESKey: '2d13898ea763059d8acdfe65f15f3233' },
        AppSKey: { KEKLabel: 'as', AESKey: '930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717' },
      });
    });

    it('answers a join of 1.1, with 0x before the digits and unknown fields', async () => {
      await count(7);
      const answer = await ask({
        ...asked,
        DLSettings: '0x83',
        PHYPayload: `0x${asked.PHYPayload.toUpperCase()}`,
        VSExtension: {},
        CFList: '',
      });
      assert.deepEqual(answer, {
        ...answer,
        PHYPayload: '2099a7d9d56a835c5a0e06d5fda2aab70f',
        FNwkSIntKey: { KEKLabel: '', AESKey: '2362f94247e5d9e68c729dc54e85b332' },
        SNwkSIntKey: { KEKLabel: '', AESKey: '8b87e5094384aecbfadab145c6bd5e61' },
        NwkSEncKey: { KEKLabel: '', AESKey: '78bd5ec61b310c728c5393b18692af0b' },
      });
      assert.equal('NwkSKey' in answer, false);
    });

    it('refuses a DevNonce that was used, also by an embedded network server, until they are cleared', async () => {
      await count(7);
      assert.equal((await ask(asked)).Result?.ResultCode, 'Success');
      const again = await ask(asked);
      assert.deepEqual([again.status, again.Result?.ResultCode], [200, 'FrameReplayed']);
      assert.ok(!('NwkSKey' in again));
      const [used] = await app.parts.database.query
        .selectFrom('ns_activation')
        .select('dev_nonce')
        .where('dev_eui', '=', devEUI)
        .execute();
      assert.equal(used?.dev_nonce, 0x1234);
      await count(8);
      assert.equal((await ask(asked)).Result?.ResultCode, 'Success');
    });

    it('refuses a DevNonce below the last one from LoRaWAN 1.0.4 on', async () => {
      await count(7);
      const { query } = app.parts.database;
      await ask(asked);
      await query.updateTable('ns_activation').set({ dev_nonce: 0x2000 }).where('dev_eui', '=', devEUI).execute();
      const results = [];
      for (const MACVersion of ['1.0.4', '1.0.3'])
        results.push((await ask({ ...asked, MACVersion })).Result?.ResultCode);
      assert.deepEqual(results, ['FrameReplayed', 'Success']);
    });

    it('wraps the keys of a network by the key-encryption key of its NetID', async () => {
      await count(7);
      const answer = (await ask({ ...asked, SenderID: '00000A' })) as {
        NwkSKey?: { KEKLabel: string; AESKey: string };
      };
      assert.equal(answer.NwkSKey?.KEKLabel, '00000a');
      assert.equal(answer.NwkSKey?.AESKey.length, 48);
    });

    it('answers a rejoin-request whose MIC the network server has checked', async () => {
      // Type 0: NetID 000013, DevEUI, RJcount0 5; the MIC uses a session key that the join server does not know.
      const PHYPayload = `c000130000${Uint8Array.fromHex(devEUI).reverse().toHex()}050000000000`;
      const answer = await ask({ ...asked, MessageType: 'RejoinReq', DLSettings: '83', PHYPayload });
      assert.deepEqual([answer.status, answer.Result?.ResultCode], [200, 'Success']);
      assert.ok('SNwkSIntKey' in answer);
    });

    it('answers the home network of a device', async () => {
      const question = { ...asked, MessageType: 'HomeNSReq' };
      const answer = (await ask(question)) as { HNetID?: string; MessageType?: string };
      assert.deepEqual([answer.HNetID, answer.MessageType], ['60001a', 'HomeNSAns']);
      const unknown = await ask({ ...question, DevEUI: 'ffffffffffffffff' });
      assert.deepEqual([unknown.status, unknown.Result?.ResultCode], [400, 'UnknownDevEUI']);
    });

    const foreign = 'ffffffffffffffff';
    const foreignJoin = `00010000d07ed5b370${foreign}34120000${'0000'}`;
    const refused: [what: string, change: object, status: number, code: string][] = [
      ['a wrong code', { PHYPayload: `${asked.PHYPayload.slice(0, -2)}ff` }, 200, 'MICFailed'],
      ['a device without keys', { DevEUI: foreign, PHYPayload: foreignJoin }, 400, 'Other'],
      ['a frame of another device', { DevEUI: foreign }, 200, 'Other'],
      ['a frame of another kind', { MessageType: 'RejoinReq' }, 200, 'Other'],
      ['no frame', { PHYPayload: '00' }, 200, 'Other'],
      ['a CFList that is none', { CFList: 'ff'.repeat(16) }, 200, 'Other'],
    ];
    for (const [what, change, status, code] of refused) {
      it(`refuses ${what}`, async () => {
        const answer = await ask({ ...asked, ...change });
        assert.deepEqual([answer.status, answer.Result?.ResultCode], [status, code]);
      });
    }

    const unreadable: [what: string, body: unknown][] = [
      ['no JSON', '{'],
      ['no object', '[]'],
      ['another message', { ...asked, MessageType: 'AppSKeyReq' }],
      ['a missing member', { ...asked, DevAddr: undefined }],
      ['no hexadecimal digits', { ...asked, PHYPayload: 'zz' }],
      ['a delay there is not', { ...asked, RxDelay: 16 }],
    ];
    for (const [what, body] of unreadable) {
      it(`cannot parse ${what}`, async () => {
        const answer = (await ask(body)) as { status: number; ResultCode?: string };
        assert.deepEqual([answer.status, answer.ResultCode], [400, 'Other']);
      });
    }

    it('accepts no larger body than a request can have', async () => {
      const answer = await ask({ ...asked, VSExtension: 'x'.repeat(70_000) });
      assert.equal(answer.status, 413);
    });

    it('survives a client that disconnects during a request', async () => {
      const socket = connect(app.joinServerPort, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
      await new Promise((resolve) => socket.on('connect', resolve));
      socket.destroy();
      assert.equal((await ask(asked)).status, 200);
    });
  });
}

describe('the join server with TLS', () => {
  it('answers only clients with a certificate of its CA', async () => {
    const authority = await createAuthority();
    const [server, client] = [await authority.issue('server'), await authority.issue('client')];
    const stranger = await (await createAuthority('Other CA')).issue('client');
    const directory = await mkdtemp(join(tmpdir(), 'hilltop-test-'));
    const file = async (name: string, text: string) => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    };
    await using app = await startTestApp('sqlite', {
      joinServer: '127.0.0.1:0',
      joinServerCA: await file('ca', server.ca),
      joinServerCert: await file('cert', server.cert),
      joinServerKey: await file('key', server.key),
    });
    const ask = (identity: { cert?: string; key?: string }) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = {
          method: 'POST',
          ca: server.ca,
          cert: identity.cert,
          key: identity.key,
          agent: false as const,
        };
        secureRequest(`https://127.0.0.1:${app.joinServerPort}/`, options, (response) =>
          resolve(response.resume().statusCode),
        )
          .on('error', reject)
          .end('{}');
      });
    assert.equal(await ask(client), 400);
    await assert.rejects(ask(stranger));
    await assert.rejects(ask({}));
    await rm(directory, { recursive: true });
  });
});
