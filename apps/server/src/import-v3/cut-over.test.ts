import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createDevice, startGateway } from '@hilltop/simulator';
import { type Server, startServer } from '../compose.ts';
import { createLog } from '../log.ts';
import type { JournalOnlyGateways } from '../network/journal-only-gateways.ts';
import { sessionOf } from '../network/session-body.ts';
import { openStorage, type Storage } from '../storage.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { testSettings } from '../testing/test-settings.ts';
import { cutOver, reportJournaledUplinks } from './cut-over.ts';
import type { Report } from './report/report.ts';
import { fillVersion3, fixture } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const silent = createLog({ logLevel: 'silent' });

describe('the change from a running version 3', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  /** Replaces the gateway bridge of version 3. */
  async function oldBridge() {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      socket.close();
      await once(socket, 'close');
    };
    return { port, stop };
  }

  const configOf = (testStorage: TestStorage, udpPort: number) =>
    testSettings(testStorage, { udp: `127.0.0.1:${udpPort}` });

  interface Changed extends AsyncDisposable {
    config: ReturnType<typeof configOf>;
    storage: Storage;
    report: Report;
    held: JournalOnlyGateways;
    /** By frame counter, whether the uplink was acknowledged. */
    sent: Map<number, Promise<boolean>>;
    stopSending: () => Promise<void>;
    /** Marks that a server now owns the storage and the port. */
    handOver: () => void;
  }

  /** Makes the change while a gateway sends uplinks of one device, from the moment Hilltop has the port. */
  async function change(testStorage: TestStorage): Promise<Changed> {
    // After any failure, nothing keeps the process running.
    await using parts = new AsyncDisposableStack();
    const bridge = await oldBridge();
    parts.defer(bridge.stop);
    const config = configOf(testStorage, bridge.port);
    const storage = await openStorage(config, silent);
    const ours = parts.use(new AsyncDisposableStack());
    ours.defer(storage.close);
    const { devEUI, devAddr, nwkSKey, appSKey, fCntUp, nFCntDown } = fixture;
    const device = createDevice({
      devEUI,
      joinEUI: fixture.joinEUI,
      macVersion: '1.0.3',
      region: 'EU868',
      random: Math.random,
      session: { devAddr, keys: { nwkSKey, appSKey }, fCntUp, fCntDown: nFCntDown, dataRate: 3 },
    });
    const server = `127.0.0.1:${bridge.port}`;
    const gateway = parts.use(await startGateway({ server, gatewayID: fixture.gatewayID }));
    const stranger = parts.use(await startGateway({ server, gatewayID: 'b827ebfffe99aabb' }));
    const sent = new Map<number, Promise<boolean>>();
    const errorText: string[] = [];
    const sending = new AbortController();
    parts.defer(() => sending.abort());
    let work = Promise.resolve();
    let next: number = fCntUp;
    let unheard = Promise.resolve(true);
    const send = async () => {
      gateway.pull();
      await gateway.online();
      // An unknown gateway gets no answer, because it may be registered a moment later.
      unheard = stranger.sendStat();
      while (!sending.signal.aborted) {
        sent.set(next++, gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(7) })).acknowledged);
        await setTimeout(20);
      }
    };
    const print = (line: string) => {
      errorText.push(line);
      if (line.includes('stop the gateway bridge')) void bridge.stop();
      if (line.includes('is bound')) work = send();
    };
    const files = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    const { report, held } = await cutOver(
      { ...files, isFinal: true, settleMs: 100, continuesAsServer: false },
      { ...storage, config },
      { now: () => new Date(), print, showOnce: () => undefined, log: silent },
    );
    assert.ok(held);
    ours.defer(held.stop);
    assert.equal(errorText.filter((line) => line.includes('stop the gateway bridge')).length, 1);
    const resources = parts.move();
    return {
      config,
      storage,
      report,
      held,
      sent,
      handOver: () => void ours.move(),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
      stopSending: async () => {
        sending.abort();
        await work;
        await stranger.stop();
        assert.equal(await unheard, false);
        for (const [fCnt, acknowledged] of sent)
          if (!(await Promise.race([acknowledged, setTimeout(2000, false)]))) sent.delete(fCnt);
        await gateway.stop();
      },
    };
  }

  /** Frame counters of the uplinks that became events, in their order, once there is an event for `last`. */
  async function receiversIn({ needs }: Server, last: number): Promise<number[]> {
    for (;;) {
      const events = needs.database.query.selectFrom('event').select('payload').where('type', '=', 'up');
      const rows = await events.orderBy('pos').execute();
      const counters = rows.map(({ payload }) => (JSON.parse(payload) as { fCnt?: number }).fCnt ?? 0);
      if (counters.includes(last)) return counters;
      await setTimeout(50);
    }
  }

  for (const kind of databases) {
    it(`loses no acknowledged uplink when it continues as the server, on ${kind}`, async () => {
      await using testStorage = await createTestStorage(kind);
      await using changed = await change(testStorage);
      const { config, storage, held, report, sent, stopSending } = changed;
      await held.pause();
      reportJournaledUplinks(report, held);
      assert.ok(held.counts().stored > 0);
      assert.match(JSON.stringify(report.findings), /uplinks that arrived during the last pass are stored/);
      // Some uplinks are journaled before the server starts, and the server receives others itself.
      await setTimeout(200);
      const server = await startServer(config, {}, { storage, journalOnly: held });
      changed.handOver();
      try {
        assert.equal(server.udpPort, held.port);
        await setTimeout(200);
        await stopSending();
        const acknowledged = [...sent.keys()];
        const received = await receiversIn(server, acknowledged.at(-1)!);
        assert.ok(received.length > held.counts().stored, 'the server received some of them itself');
        // A slow machine acknowledges some later than the gateway waits: these may become events or not.
        assert.deepEqual(
          received.filter((fCnt) => sent.has(fCnt)),
          acknowledged,
        );
      } finally {
        await server.stop();
      }
    });
  }

  /** A program that has a TCP port. */
  async function occupant() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, stop: () => void server.close() };
  }

  it('reports a port in use before version 3 is stopped, when it continues as the server', async () => {
    await using testStorage = await createTestStorage('sqlite');
    await using parts = new AsyncDisposableStack();
    const bridge = await oldBridge();
    parts.defer(bridge.stop);
    const other = await occupant();
    parts.defer(other.stop);
    const config = { ...configOf(testStorage, bridge.port), mqtt: { host: '127.0.0.1', port: other.port } };
    const storage = await openStorage(config, silent);
    parts.defer(storage.close);
    const errorText: string[] = [];
    const files = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    await assert.rejects(
      cutOver(
        { ...files, isFinal: true, settleMs: 0, continuesAsServer: true },
        { ...storage, config },
        { now: () => new Date(), print: (line) => errorText.push(line), showOnce: () => undefined, log: silent },
      ),
      new RegExp(`^StartError: 127\\.0\\.0\\.1:${other.port} \\(HILLTOP_MQTT\\) is in use by another program`),
    );
    assert.deepEqual(
      errorText.filter((line) => line.includes('stop')),
      [],
    );
  });

  it('starts the last pass only when version 3 has released the ports of Hilltop', async () => {
    await using testStorage = await createTestStorage('sqlite');
    await using parts = new AsyncDisposableStack();
    const bridge = await oldBridge();
    parts.defer(bridge.stop);
    const console3 = await occupant();
    parts.defer(console3.stop);
    await v3.writeConfig('as', `[application_server.external_api]\nbind="0.0.0.0:${console3.port}"\n`);
    parts.defer(v3.writeUsualConfigs);
    const config = { ...configOf(testStorage, bridge.port), http: { host: '127.0.0.1', port: console3.port } };
    const storage = await openStorage(config, silent);
    parts.defer(storage.close);
    const errorText: string[] = [];
    const print = (line: string) => {
      errorText.push(line);
      if (line.includes('stop the gateway bridge')) void bridge.stop();
      if (line.includes('still in use: stop the application server')) console3.stop();
    };
    const files = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    const { report, held } = await cutOver(
      { ...files, isFinal: true, settleMs: 0, continuesAsServer: true },
      { ...storage, config },
      { now: () => new Date(), print, showOnce: () => undefined, log: silent },
    );
    await held?.stop();
    assert.ok(!report.findings.some(({ kind }) => kind === 'stops'));
    const at = (part: string) => errorText.findIndex((line) => line.includes(part));
    const lastPass = errorText.findLastIndex((line) => line === 'writing network-servers');
    assert.ok(at('waits until version 3 is stopped') < at('stop the gateway bridge'));
    assert.ok(at('stop the gateway bridge') < at('still in use') && at('still in use') < lastPass);
  });

  it('leaves acknowledged uplinks to a server that starts later and answers none of them', async () => {
    await using testStorage = await createTestStorage('sqlite');
    await using changed = await change(testStorage);
    const { config, storage, held, sent, stopSending } = changed;
    await setTimeout(100);
    changed.handOver();
    await held.stop();
    await storage.close();
    await stopSending();
    const all = [...sent.keys()];
    // Some may be stored although their acknowledgement came late or found the port closed.
    assert.ok(held.counts().stored >= all.length);
    const server = await startServer(config);
    try {
      const received = await receiversIn(server, all.at(-1)!);
      assert.deepEqual(
        received.filter((fCnt) => sent.has(fCnt)),
        all,
      );
      const { query } = server.needs.database;
      const session = await query.selectFrom('ns_session').selectAll().executeTakeFirstOrThrow();
      const { fCntUp, nFCntDown } = sessionOf(session.body);
      assert.ok(fCntUp > all.at(-1)!);
      assert.equal(nFCntDown, fixture.nFCntDown + 1);
    } finally {
      await server.stop();
    }
  });
});
