import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { createKeyEnvelopes } from '../key-envelopes.ts';
import { createMetrics } from '../metrics.ts';
import { joinServerElsewhere } from '../network/backend-interfaces/client.ts';
import { remoteNetworkServer } from '../network/grpc.ts';
import { createOutgoingHTTP } from '../outgoing/http.ts';
import { createOutgoing } from '../outgoing/outgoing.ts';
import { answerBroken, recordAnswer } from '../testing/cut-conversations.ts';
import { startRemoteNetworkServer } from '../testing/remote-network-server.ts';

const log = pino({ level: 'silent' });
const outgoing = createOutgoing({
  allow: ['127.0.0.1'],
  ownPorts: [],
  addressesOf: async (host) => [{ address: host, family: isIP(host) }],
});

const joinAnswer = JSON.stringify({
  ProtocolVersion: '1.0',
  TransactionID: 1,
  MessageType: 'JoinAns',
  Result: { ResultCode: 'Success' },
  PHYPayload: '200190a03994e05cc947809435a26438de',
  AppSKey: { KEKLabel: '', AESKey: '00' },
});
const responses = [
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${joinAnswer.length}\r\n\r\n${joinAnswer}`,
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
];

/** The test runner reports an uncaught error as a failure. */
describe('external servers whose responses are cut or corrupted', () => {
  const http = createOutgoingHTTP(outgoing, { log, metrics: createMetrics() });
  after(() => http.close());

  it('fail HTTP requests, and the next request succeeds', async () => {
    const send = (port: number) =>
      http.send({ method: 'POST', url: `http://127.0.0.1:${port}/`, headers: [], body: '{}', timeoutMs: 1_000 });
    for (const response of responses) await answerBroken(Buffer.from(response), send);
    let status = 0;
    await answerBroken(
      Buffer.from(responses[0]!),
      async (port) => {
        status = (await send(port)).status;
      },
      { rounds: 0, step: responses[0]!.length },
    );
    assert.equal(status, 200);
  });

  it('refuse joins as join servers', async () => {
    const results = new Set<string>();
    const join = async (port: number) => {
      const envelopes = createKeyEnvelopes(new Map());
      const url = `http://127.0.0.1:${port}/`;
      const server = joinServerElsewhere({ url, envelopes, log, count: () => undefined, timeoutMs: 1_000 });
      const { result } = await server.join({
        joinType: 'join',
        phyPayload: new Uint8Array(23),
        devEUI: '0a1b2c3d4e5f6071',
        joinEUI: '70b3d57ed0000001',
        devNonce: 1,
        macVersion: '1.0.3',
        netID: '000013',
        devAddr: '26012345',
        rxDelay: 1,
        cFList: null,
        dlSettings: { optNeg: false, rx1DROffset: 0, rx2DataRate: 3 },
      });
      results.add(result);
      server.close();
    };
    for (const response of responses) await answerBroken(Buffer.from(response), join);
    assert.deepEqual([...results], ['Other']);
  });

  it('fail calls as network servers, and the next call succeeds', async () => {
    await using elsewhere = await startRemoteNetworkServer();
    const ask = async (port: number) => {
      const remote = remoteNetworkServer(
        { server: `127.0.0.1:${port}`, caCert: '', tlsCert: '', tlsKey: '' },
        outgoing,
      );
      await remote.service.getVersion({}).finally(remote.close);
    };
    const bytes = await recordAnswer(elsewhere.port, ask);
    await answerBroken(bytes, ask);
    await ask(elsewhere.port);
  });
});
