import type { AddressInfo } from 'node:net';
import type { Clock } from '@hilltop/network-server';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Alerts, retainForAlerts } from './alerts/alerts.ts';
import { mailFailingSince } from './alerts/mail-failure.ts';
import { serveOneClick } from './alerts/one-click.ts';
import { AuditRetention } from './audit/retention.ts';
import { audited } from './audit/transactions.ts';
import { backupProblem } from './backup/runs.ts';
import { BackupSchedule } from './backup/schedule.ts';
import type { Bus } from './bus/bus.ts';
import { inProcessBus } from './bus/in-process.ts';
import { redisBus } from './bus/redis.ts';
import { type Certificates, createCertificates } from './certificates/certificates.ts';
import { systemClock } from './clock.ts';
import { runBlockedContractSteps } from './cluster/blocked-contract-steps.ts';
import type { Cluster } from './cluster/cluster.ts';
import { commonClock } from './cluster/common-clock.ts';
import { createInstanceLoad, type InstanceLoad } from './cluster/instance-load.ts';
import { whileLeased } from './cluster/while-leased.ts';
import { watchDisk } from './conditions/disk.ts';
import { ConditionEvaluation } from './conditions/evaluation.ts';
import { registerFleetMetrics } from './conditions/fleet-metrics.ts';
import type { Config } from './config.ts';
import { fileLimitWarning, readFileLimit } from './connections/file-limit.ts';
import type { Database } from './database/database.ts';
import { type Integrity, watchIntegrity } from './database/integrity.ts';
import { searchesByIndex } from './database/search.ts';
import { type ServerRuns, startServerRun } from './database/server-runs.ts';
import { createSteadyTime } from './database/steady-time.ts';
import { createAttempt } from './delivery/attempt.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createEventLookups } from './delivery/event-lookups.ts';
import { allSlots, leaseNameOf, leaseOfAllSlots } from './delivery/lease-slots.ts';
import { createTestSend, type TestSend } from './delivery/test-send.ts';
import { sendPings } from './discovery/send-pings.ts';
import type { EventLog, LoggedEvent } from './event-log/event-log.ts';
import { createEventLog } from './event-log/log.ts';
import { type DeviceContexts, deviceContexts } from './events/device-context.ts';
import { DownlinkRetention } from './events/downlink-retention.ts';
import { createDownlinkSteps, type DownlinkSteps } from './events/downlink-steps.ts';
import { createGatewayEvents, type GatewayEvents } from './events/gateway-events.ts';
import { createMissedEvents, type MissedEvents } from './events/missed.ts';
import { type EventRecorder, eventRecorder } from './events/recorder.ts';
import { addFirstAdministrator, type FirstAdministrator, registerRegions } from './first-start.ts';
import { GatewayOutageMonitor } from './gateway-outages/monitor.ts';
import { GatewaySignWriter } from './gateway-outages/signs.ts';
import { createHistory, type History } from './history/history.ts';
import { createApp } from './http/app.ts';
import { createGrpc } from './http/grpc/serve.ts';
import { serveMQTT } from './http/mqtt-websocket.ts';
import type { OperationHandlers } from './http/operations.ts';
import { createPrincipals, type Principals } from './identity/principals.ts';
import { createTokens } from './identity/tokens.ts';
import { unfinishedImport } from './import-v3/target/unfinished.ts';
import { loadConfigured } from './integrations/configured.ts';
import { createGatewayNames } from './integrations/gateway-names.ts';
import { marshalers, registerInstallation } from './integrations/installation.ts';
import type { IntegrationAdapter } from './integrations/integration.ts';
import { createMarshal } from './integrations/marshal.ts';
import { createIntegrations } from './integrations/registry.ts';
import { createKeyEnvelopes, type KeyEnvelopes } from './key-envelopes.ts';
import { liveSources } from './live-sources.ts';
import { createLog, droppedLogLines } from './log.ts';
import { createMailer, type Mailer } from './mail/mailer.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { Broker } from './mqtt/broker.ts';
import type { Bridge } from './mqtt/gateway-connection.ts';
import { startJoinServerListener } from './network/backend-interfaces/listener.ts';
import { startGrpcServer } from './network/grpc-server.ts';
import { UnknownDevAddrs } from './network/join-reports.ts';
import type { JournalOnlyGateways } from './network/journal-only-gateways.ts';
import type { Networks } from './network/network-servers.ts';
import { createNetworks, type RunningNetworks } from './network/networks.ts';
import { synchronizeRecordCaches } from './network/record-cache.ts';
import { rehearsed } from './network/rehearsal.ts';
import { UnknownDeviceRows } from './network/unknown-device-rows.ts';
import { UnknownDevices } from './network/unknown-devices.ts';
import { createOutgoingHTTP, type OutgoingHTTP } from './outgoing/http.ts';
import { createOutgoing } from './outgoing/outgoing.ts';
import { listensAt, type OpenPorts, ownPortsOf, ownServersOf } from './outgoing/own-ports.ts';
import { type PayloadCodecs, startPayloadCodecs } from './payload-codecs/codec.ts';
import type { RedisConnection } from './redis/connection.ts';
import { DisabledMarks } from './resources/device/disabled-marks.ts';
import { synchronizeTotals } from './resources/device/totals.ts';
import { createEnqueue, type EnqueueDownlink } from './resources/device-queue/enqueue.ts';
import { createDownloadLinks, type DownloadLinks } from './resources/download/links.ts';
import { serveDownloads } from './resources/download/serve.ts';
import { removeOldImports } from './resources/file-import/removal.ts';
import { inactiveAfterIntervals } from './resources/inactivity.ts';
import { serveLogout } from './resources/internal/logout.ts';
import { createJobs, type Jobs } from './resources/job/jobs.ts';
import { createJobKinds } from './resources/job-kinds/kinds.ts';
import { loadRoutingProfileID } from './resources/network-server/routing-profile.ts';
import { configurationOf } from './resources/radio/configuration.ts';
import { loadRadioSettings } from './resources/radio/store.ts';
import { TrashRetention } from './resources/trash/retention.ts';
import { Trash } from './resources/trash/trash.ts';
import { createHandlers } from './routes.ts';
import type { Secrets } from './secrets.ts';
import { serveSingleSignOn } from './single-sign-on/routes.ts';
import { createSingleSignOn, type SingleSignOn } from './single-sign-on/single-sign-on.ts';
import { cannotListen } from './start-error.ts';
import { AirtimeRecords } from './statistics/airtime.ts';
import { createStatistics, type Statistics } from './statistics/statistics.ts';
import { openStorage, type Storage } from './storage.ts';
import { loadTokenKeyOfV3 } from './token-key-of-v3.ts';

/** The time for load balancers to notice that an instance is not ready, and for clients to connect to another one. */
const leaveMs = 1_500;

/** The parts of a running server. Tests replace some of them and use the others directly. */
export interface ServerParts {
  config: Config;
  log: Logger;
  clock: Clock;
  metrics: Metrics;
  database: Database;
  secrets: Secrets;
  integrity: Integrity;
  /** Undefined for a single process. */
  redis: RedisConnection | undefined;
  bus: Bus;
  cluster: Cluster;
  serverRuns: ServerRuns;
  /** The load of this instance. */
  figures: InstanceLoad;
  /** Filled when the listeners are open. */
  openPorts: OpenPorts;
  principals: Principals;
  certificates: Certificates;
  /** Undefined when no provider is configured. */
  singleSignOn: SingleSignOn | undefined;
  codecs: PayloadCodecs;
  statistics: Statistics;
  airtime: AirtimeRecords;
  eventLog: EventLog;
  /** The events of devices, also those that have left the event log. */
  history: History;
  /** Finds what needs attention. */
  conditions: ConditionEvaluation;
  devices: DeviceContexts;
  recorder: EventRecorder;
  /** The last signs of life of gateways. */
  gatewaySigns: GatewaySignWriter;
  gatewayEvents: GatewayEvents;
  downlinkSteps: DownlinkSteps;
  /** Undefined for a single process. */
  missedEvents: MissedEvents | undefined;
  /** The id by which network servers know this application server; devices and gateways refer to it. */
  routingProfileID: Uint8Array;
  /** Keys that are wrapped for join servers and network servers, and unwrapped from them. */
  keyEnvelopes: KeyEnvelopes;
  networks: Networks;
  unknownDeviceRows: UnknownDeviceRows;
  unknownDevices: UnknownDevices;
  unknownDevAddrs: UnknownDevAddrs;
  enqueue: EnqueueDownlink;
  outgoingHTTP: Pick<OutgoingHTTP, 'send'>;
  delivery: Delivery;
  /** Sends one event to an integration, stored or not. */
  testSend: TestSend;
  /** Links to files. */
  downloads: DownloadLinks;
  jobs: Jobs;
  /** Undefined when no mail server is set. */
  mailer: Mailer | undefined;
  alerts: Alerts;
  /** Keeps deleted records. */
  trash: Trash;
  /** Undefined when MQTT is switched off. */
  mqtt: Broker | undefined;
}

/** A running server. */
export interface Server {
  /** The bound port, also when port 0 was configured. */
  httpPort: number;
  /** The port for packet forwarders; undefined when the network servers were replaced. */
  udpPort: number | undefined;
  /** The port for LoRa Basics Stations; undefined when they are disabled. */
  stationPort: number | undefined;
  /** The port for calls of remote network servers; undefined when they are disabled. */
  grpcPort: number | undefined;
  /** The port of the join server for external network servers; undefined when it is disabled. */
  joinServerPort: number | undefined;
  firstAdministrator: FirstAdministrator | undefined;
  needs: ServerParts;
  /** Directs clients to the other instances, and resolves after they had time to leave. */
  leave: () => Promise<void>;
  /** Finishes the work under way, then stops every part, the last started first. */
  stop: () => Promise<void>;
}

/** Parts that an import from version 3 has opened, for the server that it continues as. */
interface Begun {
  storage?: Storage;
  journalOnly?: JournalOnlyGateways;
}

/** Stops the running parts, the last started first. */
type Running = AsyncDisposableStack;

/**
 * Creates every part of the server and starts it, in the order of the layers. Only this file decides which adapter a
 * part gets. Throws StartError when the environment does not allow a start; then no part keeps running.
 */
export async function startServer(
  config: Config,
  replace: Partial<ServerParts> = {},
  begun: Begun = {},
): Promise<Server> {
  await using running = new AsyncDisposableStack();
  const foundation = await openFoundation(config, replace, { begun, running });
  const storing = await openEventStorage(foundation, replace, running);
  const firstAdministrator = await addFirstRecords(foundation);
  const joined = await joinCluster(foundation, storing, running);
  const base = { ...foundation, ...storing, ...joined };
  const network = await createNetworkSide(base, replace, begun);
  joined.gatewayCounter.count = () => network.own?.gatewayCount() ?? 0;
  const delivering = await createDeliverySide({ ...base, ...network }, replace, running);
  const trash = new Trash({ ...base, networks: network.networks });
  const jobs = createJobs(base, createJobKinds({ ...base, ...network, trash }));
  const downloads = createDownloadLinks(base);
  const mailer = createMailer(base.config);
  const alertClock = commonClock(base.clock, base.cluster);
  const alerts = new Alerts({ ...base, clock: alertClock, mailer, http: delivering.outgoingHTTP });
  running.defer(retainForAlerts(base));
  const needs: ServerParts = { ...base, ...network, ...delivering, downloads, trash, jobs, mailer, alerts };
  const handlers = createHandlers({ ...needs, http: needs.outgoingHTTP });

  const { app, ready, leave } = await createApp(needs, {
    handlers,
    createGrpc,
    streams: liveSources(needs),
    others: otherRoutes(needs, handlers),
  });
  running.defer(() => app.close());
  running.defer(() => needs.mqtt?.stop());
  await app.listen(config.http).catch((error: unknown) => {
    throw cannotListen('HILLTOP_HTTP', config.http, error);
  });
  await needs.mqtt?.start();
  await startDelivery(needs, running);
  const ports = await startNetworkSide({ ...needs, own: network.own }, running);
  const { cluster } = needs;
  watchGateways(base, running);
  running.defer(cluster.lease('gateway-pings', (signal) => whileLeased(signal, sendPings(needs))));
  running.defer(cluster.lease('jobs', (signal) => whileLeased(signal, jobs.running)));
  running.defer(cluster.lease('alerts', (signal) => whileLeased(signal, alerts)));
  running.defer(cluster.lease('file-imports', (signal) => whileLeased(signal, removeOldImports(needs))));
  running.defer(cluster.lease('conditions', (signal) => whileLeased(signal, needs.conditions)));
  running.defer(cluster.lease('disabled-devices', (signal) => whileLeased(signal, new DisabledMarks(needs))));

  const started = running.move();
  ready();
  const { port: httpPort } = app.server.address() as AddressInfo;
  const mqttPorts = needs.mqtt?.kind === 'EMBEDDED' ? needs.mqtt.ports() : undefined;
  Object.assign(needs.openPorts, {
    http: httpPort,
    basicsStation: ports.stationPort,
    grpc: ports.grpcPort,
    joinServer: ports.joinServerPort,
    udp: ports.udpPort,
    mqtt: mqttPorts?.tcp,
    mqtts: mqttPorts?.tls,
  } satisfies OpenPorts);
  return {
    ...ports,
    httpPort,
    firstAdministrator,
    needs,
    leave: async () => {
      leave();
      if (cluster.live().length > 1) await new Promise<void>((resolve) => base.clock.after(leaveMs, resolve));
    },
    stop: () => started.disposeAsync(),
  };
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens log, clock, metrics, the database, the bus to other instances, and the principals. */
async function openFoundation(
  config: Config,
  replace: Partial<ServerParts>,
  { begun, running }: { begun: Begun; running: Running },
) {
  const log = replace.log ?? createLog(config);
  const clock = replace.clock ?? systemClock;
  const now = () => clock.now();
  const metrics = createMetrics({ oldNames: config.metricsOldNames });
  metrics.gauge('log_lines_dropped', 'Lines of the log that could not be written.', droppedLogLines);
  const fellApart = (error: unknown, units: number) => {
    metrics.count('database_units_one_by_one', {}, units);
    log.info({ err: error, units }, 'a batch of writes failed: its writes were repeated one by one');
  };
  const threadEnded = () => {
    metrics.count('database_threads_lost');
    log.error('the thread that writes to the database ended: its last batch is tried again, and another thread starts');
  };
  const around = { now: () => now().getTime(), fellApart, threadEnded };
  const storage = begun.storage ?? (await openStorage(config, log, around));
  running.defer(storage.close);
  const { directory, secrets } = storage;
  const database = audited(rehearsed(storage.database));
  await logWarnings(database, log);
  const integrity =
    replace.integrity ??
    watchIntegrity(config.databaseURL === '' ? directory.databaseFile : undefined, { log, metrics });
  running.defer(() => integrity.stop());
  const redis = await redisOf(config, { log, metrics });
  if (redis) running.defer(() => redis.close());
  // The bus must exist before this instance has joined the cluster.
  const members: { live: () => readonly string[] } = { live: () => [] };
  const bus = await busOf({ log, metrics, redis, instanceID: storage.instanceID, tokenKey: secrets.tokenKey, members });
  running.defer(() => bus.close());
  const principals = createPrincipals({
    database,
    bus,
    now,
    log,
    limits: config,
    tokens: createTokens(secrets.tokenKey, now, await loadTokenKeyOfV3(database, secrets)),
  });
  running.defer(() => principals.idle());
  if (redis) {
    await synchronizeRecordCaches(database, bus);
    await synchronizeTotals(database, bus);
  }
  return { config, log, clock, now, metrics, storage, database, secrets, integrity, redis, bus, members, principals };
}

/** Warns the operator about limits of the machine and missing extensions. */
async function logWarnings(database: Database, log: Logger): Promise<void> {
  if (!(await searchesByIndex(database)))
    log.warn(
      'searches read all names: PostgreSQL has no extension pg_trgm, install postgresql-contrib before the first start',
    );
  const unfinished = await unfinishedImport(database);
  if (unfinished) log.warn(unfinished);
  const fewFiles = fileLimitWarning(readFileLimit());
  if (fewFiles) log.warn(fewFiles);
}

/** Undefined for a single process, which does not load the Redis client. */
async function redisOf(
  { redisURL }: Config,
  needed: { log: Logger; metrics: Metrics },
): Promise<RedisConnection | undefined> {
  if (redisURL === '') return undefined;
  return (await import('./redis/connection.ts')).connectRedis(redisURL, needed);
}

async function busOf({
  log,
  metrics,
  redis,
  instanceID: id,
  tokenKey,
  members,
}: {
  log: Logger;
  metrics: Metrics;
  redis: RedisConnection | undefined;
  instanceID: string;
  tokenKey: Uint8Array;
  members: { live: () => readonly string[] };
}): Promise<Bus> {
  const onError = (error: unknown) => log.error({ err: error }, 'a listener of the bus failed');
  if (!redis) return inProcessBus(onError);
  return redisBus({ redis, id, tokenKey, live: () => members.live(), metrics, onError });
}

/** Opens the parts that turn uplinks into stored events: codecs, statistics and the event log. */
async function openEventStorage(
  { config, database, log, clock, metrics, storage }: Foundation,
  replace: Partial<ServerParts>,
  running: Running,
) {
  const codecs =
    replace.codecs ??
    startPayloadCodecs({
      onRefused: () => metrics.count('codec_calls_refused'),
      onPause: () => metrics.count('codec_pauses'),
      onThreadLost: (reason) => {
        metrics.count('codec_threads_lost');
        log.error({ reason }, 'A thread of the script engine was lost and is replaced.');
      },
      onPausedCall: () => metrics.count('codec_calls_paused'),
      monotonicMs: () => clock.monotonicMs(),
    });
  running.defer(() => codecs.stop());
  const steadyTime = createSteadyTime({ database, log, clock });
  const statistics = createStatistics({ database, log, clock, steadyTime, metrics });
  const airtime = new AirtimeRecords({ database, clock, log, metrics });
  airtime.start();
  running.defer(() => airtime.stop());
  const eventLog = await createEventLog({ config, database, log, clock, steadyTime, metrics });
  eventLog.start();
  running.defer(() => eventLog.stop());
  const history = createHistory({ config, files: storage.directory, eventLog, steadyTime, clock, log, metrics });
  running.defer(() => history.close());
  return { codecs, steadyTime, statistics, airtime, eventLog, history };
}

/** Adds the records of a first start, and those that settings add. */
async function addFirstRecords({ config, database, secrets, clock }: Foundation) {
  const firstAdministrator = await addFirstAdministrator({ config, database, clock });
  await registerRegions({ config, database, clock });
  await registerInstallation({ config, database, secrets, clock });
  return firstAdministrator;
}

type EventStorage = Pick<
  Awaited<ReturnType<typeof openEventStorage>>,
  'statistics' | 'steadyTime' | 'eventLog' | 'history'
>;

/** Makes this process an instance of the cluster, and creates what network servers and events share. */
async function joinCluster(base: Foundation, eventStorage: EventStorage, running: Running) {
  const { config, database, secrets, now, clock, log, metrics, bus, redis, storage, members } = base;
  const { statistics, steadyTime, eventLog, history } = eventStorage;
  const routingProfileID = await loadRoutingProfileID(database);
  const certificates = await createCertificates({ config, database, secrets, now });
  const cluster = await storage.enter();
  members.live = cluster.live;
  leaseMaintenance(base, eventStorage, { cluster, running });
  const serverRuns = await startServerRun({ database, clock: commonClock(clock, cluster), cluster });
  running.defer(() => serverRuns.stop());
  const problemsOfDisk = watchDisk(storage.directory.path);
  const conditions = new ConditionEvaluation({
    ...{ database, serverRuns, clock, log, metrics },
    evaluate: history.evaluate,
    problems: async () => [
      ...(await problemsOfDisk()),
      ...(await mailProblems(database, clock)),
      ...(await backupProblems({ config, database, clock })),
    ],
  });
  registerFleetMetrics({ count: history.countFleet, inactiveAfterIntervals, clock, log, metrics });
  /** The network side counts gateways; it is created after the figures. */
  const gatewayCounter = { count: () => 0 };
  const figures = createInstanceLoad({ clock, metrics, gatewayCount: () => gatewayCounter.count() });
  running.defer(() => figures.stop());
  const openPorts: OpenPorts = {};
  running.defer(
    bus.answer('instance-figures', () => ({
      instanceID: cluster.id,
      figures: figures.now(),
      listens: listensAt(config, openPorts),
    })),
  );
  metrics.gauge('instances', 'Instances on the database, as this one sees it.', () => cluster.live().length);
  metrics.gauge('gateways', 'Gateways whose downlinks leave through this instance.', () => figures.now().gateways);
  metrics.gauges('instance', 'Which instance this is.', 'name', () => new Map([[cluster.name, 1]]));
  const missedEvents = redis && createMissedEvents({ database, clock, log, metrics });
  running.defer(() => missedEvents?.stop());
  const recorder = eventRecorder({
    ...{ database, bus, statistics, eventLog, clock, metrics },
    historySize: config.eventHistory,
  });
  const unknownDeviceRows = new UnknownDeviceRows({ database, steadyTime });
  const unknownDevices = new UnknownDevices({
    ...{ rows: unknownDeviceRows, clock, metrics, log },
    isEnabled: config.listUnregistered,
  });
  unknownDevices.start();
  running.defer(() => unknownDevices.stop());
  return {
    unknownDeviceRows,
    unknownDevices,
    unknownDevAddrs: new UnknownDevAddrs(clock),
    cluster,
    serverRuns,
    conditions,
    figures,
    openPorts,
    gatewayCounter,
    routingProfileID,
    certificates,
    missedEvents,
    keyEnvelopes: createKeyEnvelopes(config.joinServerKEK),
    devices: deviceContexts({ database, secrets }),
    gatewaySigns: new GatewaySignWriter({ database, log, metrics, clock: commonClock(clock, cluster) }),
    recorder,
    gatewayEvents: createGatewayEvents({ database, eventLog, clock, metrics }),
    downlinkSteps: createDownlinkSteps({ database, eventLog, clock }),
  };
}

async function backupProblems({ config, database, clock }: Pick<Foundation, 'config' | 'database' | 'clock'>) {
  const problem = await backupProblem(database, config, clock.now().getTime());
  return problem ? [{ condition: 'BACKUP_FAILED', ...problem } as const] : [];
}

/** Work that one instance does at a time: it moves, adds up and removes rows. */
function leaseMaintenance(
  { config, database, clock, log, metrics, storage }: Foundation,
  { statistics, steadyTime, history }: EventStorage,
  { cluster, running }: { cluster: Cluster; running: Running },
): void {
  const { migrateFurther: migrate } = storage;
  if (migrate)
    running.defer(cluster.lease('contract', (signal) => runBlockedContractSteps({ cluster, log, migrate }, signal)));
  // Two instances that add to one sum at the same time would lose one of the additions.
  running.defer(cluster.lease('statistics', (signal) => whileLeased(signal, statistics)));
  running.defer(cluster.lease('history', (signal) => whileLeased(signal, history)));
  const trashRetention = new TrashRetention({ config, database, steadyTime, log, metrics });
  running.defer(cluster.lease('trash', (signal) => whileLeased(signal, trashRetention)));
  const auditRetention = new AuditRetention({ config, database, steadyTime, log, metrics });
  running.defer(cluster.lease('audit', (signal) => whileLeased(signal, auditRetention)));
  const downlinkRetention = new DownlinkRetention({ database, steadyTime, log, metrics });
  running.defer(cluster.lease('downlinks', (signal) => whileLeased(signal, downlinkRetention)));
  const own = { instance: cluster.name, clock: commonClock(clock, cluster) };
  const backups = new BackupSchedule({ config, database, log, metrics, ...own });
  running.defer(cluster.lease('backups', (signal) => whileLeased(signal, backups)));
}

async function mailProblems(database: Database, clock: Clock) {
  const since = await mailFailingSince(database, clock.now().getTime());
  return since === undefined ? [] : [{ condition: 'MAIL_FAILING', since } as const];
}

type Base = Foundation & Awaited<ReturnType<typeof openEventStorage>> & Awaited<ReturnType<typeof joinCluster>>;

/** Creates network servers, outgoing connections to other servers, and single sign-on. Nothing listens yet. */
async function createNetworkSide(base: Base, replace: Partial<ServerParts>, begun: Begun) {
  const { config, metrics } = base;
  const outgoing = createOutgoing({
    allow: config.outgoingAllow,
    ownPorts: ownPortsOf(config),
    protectedServers: ownServersOf(config),
    metrics,
  });
  const own = replace.networks
    ? undefined
    : await createNetworks({
        ...base,
        outgoing,
        loadConfiguration: async (id) => configurationOf(config, await loadRadioSettings(base.database, id)),
        journalOnly: begun.journalOnly,
      });
  const singleSignOn = config.oidcProviderURL === '' ? undefined : createSingleSignOn({ ...base, outgoing });
  const networks = replace.networks ?? own!;
  return { outgoing, own, singleSignOn, networks, enqueue: createEnqueue({ ...base, networks }) };
}

type NetworkSide = Awaited<ReturnType<typeof createNetworkSide>>;

/** Creates integrations, including MQTT, and the delivery of events to them. Nothing is delivered yet. */
async function createDeliverySide(base: Base & NetworkSide, replace: Partial<ServerParts>, running: Running) {
  const { config, log, metrics, outgoing, own, steadyTime } = base;
  const http = createOutgoingHTTP(outgoing, { ca: config.outgoingCA, proxy: config.outgoingProxy, log, metrics });
  running.defer(() => http.close());
  const mqtt = replace.mqtt ?? (await brokerOf({ ...base, bridge: own?.bridge }));
  if (mqtt) base.gatewayEvents.addReceiver(mqtt.wantsGatewayStats);
  const adapters = { ...createIntegrations(base), ...(mqtt?.integration && { MQTT: mqtt.integration }) };
  for (const { stop } of Object.values<Pick<IntegrationAdapter<never>, 'stop'>>(adapters))
    running.defer(() => stop?.());
  const sending = { ...base, http, adapters, lookups: createEventLookups(base) };
  const delivery = createDelivery({
    ...sending,
    steadyTime,
    loadIntegrations: () => loadConfigured(base),
    attempt: createAttempt(sending),
    maxInFlight: config.deliveriesAtOnce,
    maxAgeMs: config.deliveryMaxAge,
    giveUpMs: config.deliveryGiveUp,
  });
  return { mqtt, outgoingHTTP: http, delivery, testSend: createTestSend(sending) };
}

interface BrokerDependencies extends Base, Pick<NetworkSide, 'networks' | 'enqueue'> {
  bridge: Bridge | undefined;
}

/** Undefined when MQTT is switched off. The code of a broker is loaded only when it is used. */
async function brokerOf(needs: BrokerDependencies): Promise<Broker | undefined> {
  const { mqtt, mqtts, mqttURL, integrationMarshaler, integrationEventID: withEventID } = needs.config;
  if (!mqtt && !mqtts && mqttURL === '') return undefined;
  const write = createMarshal({ withEventID });
  const marshaler = marshalers[integrationMarshaler];
  const gatewayNames = createGatewayNames(needs.database, () => needs.clock.monotonicMs());
  const marshal = async (event: LoggedEvent) => (await write(event, marshaler, { gatewayNames })).body;
  if (mqttURL !== '') return (await import('./mqtt/external.ts')).createExternalBroker({ ...needs, marshal });
  return (await import('./mqtt/embedded.ts')).createEmbeddedBroker({ ...needs, marshal });
}

/** Routes other than operations of the contract. */
function otherRoutes(needs: ServerParts, handlers: OperationHandlers): ((app: FastifyInstance) => void)[] {
  const { mqtt } = needs;
  return [
    (app) => mqtt?.kind === 'EMBEDDED' && serveMQTT(app, { ...needs, mqtt }),
    (app) => serveLogout(app, needs),
    (app) => serveOneClick(app, needs),
    (app) => serveSingleSignOn(app, needs),
    (app) => serveDownloads(app, needs, handlers),
  ];
}

/** A single instance delivers all events; among several, each delivers the slots that it leases. */
async function startDelivery({ cluster, delivery }: ServerParts, running: Running): Promise<void> {
  if (cluster.isAlone) {
    await delivery.start();
    running.defer(() => delivery.stop());
    return;
  }
  for (const slot of allSlots) {
    const part = { start: () => delivery.start([slot]), stop: () => delivery.stop([slot]) };
    running.defer(cluster.lease(leaseNameOf(slot), (signal) => whileLeased(signal, part), leaseOfAllSlots));
  }
}

/** Notes signs of life of gateways, and on one instance their outages. */
function watchGateways(needs: Base, running: Running): void {
  const { cluster, gatewaySigns } = needs;
  gatewaySigns.start();
  // Links end with the server: that is no end of their gateways.
  running.defer(() => gatewaySigns.stop());
  const outages = new GatewayOutageMonitor({
    ...needs,
    clock: commonClock(needs.clock, cluster),
    onGatewayTransition: (transition) => needs.gatewayEvents.recordTransition(transition),
  });
  running.defer(cluster.lease('gateway-outages', (signal) => whileLeased(signal, outages)));
}

/** Listens for gateways, remote network servers and join requests. */
async function startNetworkSide(
  { config, metrics, log, own, ...needs }: ServerParts & { own: RunningNetworks | undefined },
  running: Running,
): Promise<Pick<Server, 'udpPort' | 'stationPort' | 'grpcPort' | 'joinServerPort'>> {
  running.defer(() => own?.stop());
  const gateways = await own?.start();
  const { callbacks, joinServer } = own ?? {};
  const grpc =
    callbacks && config.grpc ? await startGrpcServer(config.grpc, { config, callbacks, metrics, log }) : undefined;
  if (grpc) running.defer(() => grpc.stop());
  const { keyEnvelopes: envelopes } = needs;
  const joins =
    joinServer && config.joinServer
      ? await startJoinServerListener(config.joinServer, { ...needs, config, metrics, log, joinServer, envelopes })
      : undefined;
  if (joins) running.defer(() => joins.stop());
  return {
    udpPort: gateways?.udp,
    stationPort: gateways?.basicsStation,
    grpcPort: grpc?.port,
    joinServerPort: joins?.port,
  };
}
