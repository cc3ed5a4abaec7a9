import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inProcessBus } from './bus/in-process.ts';
import { redisBus } from './bus/redis.ts';
import { createCertificates } from './certificates/certificates.ts';
import { systemClock } from './clock.ts';
import { contractLater } from './cluster/contract-later.ts';
import { createFigures } from './cluster/figures.ts';
import { whileLeased } from './cluster/while-leased.ts';
import type { Config } from './config.ts';
import { fileLimitWarning, readFileLimit } from './connections/file-limit.ts';
import { watchIntegrity } from './database/integrity.ts';
import { searchesByIndex } from './database/search.ts';
import { createSteadyTime } from './database/steady-time.ts';
import { createAttempt } from './delivery/attempt.ts';
import { createDelivery } from './delivery/delivery.ts';
import { createEventLookups } from './delivery/event-lookups.ts';
import { allSlots, leaseNameOf, leaseOfAllSlots } from './delivery/lease-slots.ts';
import { createTestSend } from './delivery/test-send.ts';
import { sendPings } from './discovery/send-pings.ts';
import type { LoggedEvent } from './event-log/event-log.ts';
import { createEventLog } from './event-log/log.ts';
import { deviceContexts } from './events/device-context.ts';
import { createMissedEvents } from './events/missed.ts';
import { eventRecorder } from './events/recorder.ts';
import { addFirstAdministrator, type FirstAdministrator, registerRegions } from './first-start.ts';
import { createApp } from './http/app.ts';
import { createPrincipals } from './http/principals.ts';
import { createTokens } from './http/tokens.ts';
import { unfinishedImport } from './import-v3/target/unfinished.ts';
import { loadConfigured } from './integrations/configured.ts';
import { createGatewayNames } from './integrations/gateway-names.ts';
import { marshalers, registerInstallation } from './integrations/installation.ts';
import type { IntegrationAdapter } from './integrations/integration.ts';
import { createMarshal } from './integrations/marshal.ts';
import { createIntegrations } from './integrations/registry.ts';
import { createKeyEnvelopes } from './key-envelopes.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Broker } from './mqtt/broker.ts';
import type { Bridge } from './mqtt/gateway-connection.ts';
import type { Needs } from './needs.ts';
import { startJoinServerListener } from './network/backend-interfaces/listener.ts';
import { startGrpcServer } from './network/grpc-server.ts';
import type { HeldGateways } from './network/hold-gateways.ts';
import { createNetworks } from './network/networks.ts';
import { synchronizeRecordCaches } from './network/record-cache.ts';
import { rehearsed } from './network/rehearsal.ts';
import { createOutgoingHTTP } from './outgoing/http.ts';
import { createOutgoing } from './outgoing/outgoing.ts';
import { listensAt, ownPortsOf, ownServersOf } from './outgoing/own-ports.ts';
import { startPayloadCodecs } from './payload-codecs/codec.ts';
import { synchronizeTotals } from './resources/device/totals.ts';
import { createEnqueue } from './resources/device-queue/enqueue.ts';
import { loadRoutingProfileID } from './resources/network-server/routing-profile.ts';
import { createSingleSignOn } from './single-sign-on/single-sign-on.ts';
import { cannotListen } from './start-error.ts';
import { createStatistics } from './statistics/statistics.ts';
import { openStorage, type Storage } from './storage.ts';
import { loadTokenKeyOfV3 } from './token-key-of-v3.ts';

/** In which balancers ask whether an instance is ready, and clients come back elsewhere. */
const leaveMs = 1_500;

/** A server that runs. */
export interface Server {
  /** The real one, when port 0 was asked for. */
  httpPort: number;
  /** Where gateways send to; undefined when the network servers were replaced. */
  udpPort: number | undefined;
  /** Where LoRa Basics Stations connect; undefined when they are not listened to. */
  stationPort: number | undefined;
  /** Where remote network servers call; undefined when they are not listened to. */
  grpcPort: number | undefined;
  /** Where network servers elsewhere ask our join-server; undefined when it is not listened for. */
  joinServerPort: number | undefined;
  firstAdministrator: FirstAdministrator | undefined;
  needs: Needs;
  /** Where other instances go on: sends people and programs there, and resolves when they had the time to go. */
  leave: () => Promise<void>;
  /** Finishes what is under way, then lets go of everything, the last started first. */
  stop: () => Promise<void>;
}

/** What a move has opened already, for the server that it becomes. */
interface Begun {
  storage?: Storage;
  held?: HeldGateways;
}

/**
 * The contents page: every part of the server, started in this order and stopped in reverse. Only here is decided which
 * adapter stands behind a need. Throws StartError when the surroundings do not allow a start; nothing is left running.
 */
export async function startServer(config: Config, replace: Partial<Needs> = {}, begun: Begun = {}): Promise<Server> {
  await using parts = new AsyncDisposableStack();
  const log = replace.log ?? createLog(config);
  const clock = replace.clock ?? systemClock;
  const now = () => clock.now();
  const fellApart = (error: unknown, units: number) => {
    metrics.count('database_units_one_by_one', {}, units);
    log.info({ err: error, units }, 'writes that came together were done one by one, as one of them failed');
  };

  const metrics = createMetrics({ oldNames: config.metricsOldNames });
  const storage = begun.storage ?? (await openStorage(config, log, { now: () => now().getTime(), fellApart }));
  parts.defer(storage.close);
  const { directory, secrets } = storage;
  const database = rehearsed(storage.database);
  if (!(await searchesByIndex(database)))
    log.warn(
      'searches read all names: PostgreSQL has no extension pg_trgm, install postgresql-contrib before the first start',
    );

  const unfinished = await unfinishedImport(database);
  if (unfinished) log.warn(unfinished);

  const fewFiles = fileLimitWarning(readFileLimit());
  if (fewFiles) log.warn(fewFiles);

  const integrity =
    replace.integrity ??
    watchIntegrity(config.databaseURL === '' ? directory.databaseFile : undefined, { log, metrics });
  parts.defer(() => integrity.stop());
  const redis = await redisOf(config, { log, metrics });
  if (redis) parts.defer(() => redis.close());
  const busFailed = (error: unknown) => log.error({ err: error }, 'a listener of the bus failed');
  // The bus is there before this instance is one of them.
  let live: () => readonly string[] = () => [];
  const { tokenKey } = secrets;
  const ofBus = { id: storage.instanceID, tokenKey, live: () => live(), metrics, onError: busFailed };
  const bus = redis ? await redisBus({ redis, ...ofBus }) : inProcessBus(busFailed);
  parts.defer(() => bus.close());
  const principals = createPrincipals({
    database,
    bus,
    now,
    limits: config,
    tokens: createTokens(secrets.tokenKey, now, await loadTokenKeyOfV3(database, secrets)),
  });
  if (redis) {
    await synchronizeRecordCaches(database, bus);
    await synchronizeTotals(database, bus);
  }
  const codecs =
    replace.codecs ??
    startPayloadCodecs({
      onRefused: () => metrics.count('codec_calls_refused'),
      onPause: () => metrics.count('codec_pauses'),
      onPausedCall: () => metrics.count('codec_calls_paused'),
      monotonicMs: () => clock.monotonicMs(),
    });
  parts.defer(() => codecs.stop());

  const steadyTime = createSteadyTime({ database, log, clock });
  const statistics = createStatistics({ database, log, clock, steadyTime, metrics });

  const eventLog = await createEventLog({ config, database, log, clock, steadyTime, metrics });
  eventLog.start();
  parts.defer(() => eventLog.stop());

  const firstAdministrator = await addFirstAdministrator({ config, database, clock });
  await registerRegions({ config, database, clock });
  await registerInstallation({ config, database, secrets, clock });

  const routingProfileID = await loadRoutingProfileID(database);
  const certificates = await createCertificates({ config, database, secrets, now });
  const cluster = await storage.enter();
  live = cluster.live;
  const { migrateFurther: migrate } = storage;
  if (migrate) parts.defer(cluster.lease('contract', (signal) => contractLater({ cluster, log, migrate }, signal)));
  // Two that add to one sum at once would lose what one of them added.
  parts.defer(cluster.lease('statistics', (signal) => whileLeased(signal, statistics)));
  const figures = createFigures({ clock, metrics, gatewayCount: () => own?.gatewayCount() ?? 0 });
  parts.defer(() => figures.stop());
  parts.defer(
    bus.answer('instance-figures', () => ({
      instanceID: cluster.id,
      figures: figures.now(),
      listens: listensAt(config),
    })),
  );
  metrics.gauge('instances', 'Instances on the database, as this one sees it.', () => cluster.live().length);
  metrics.gauge('gateways', 'Gateways whose downlinks leave through this instance.', () => figures.now().gateways);
  metrics.gauges('instance', 'Which instance this is.', 'name', () => new Map([[cluster.name, 1]]));
  const missedEvents = redis && createMissedEvents({ database, clock, log, metrics });
  parts.defer(() => missedEvents?.stop());
  const beside = {
    config,
    database,
    integrity,
    routingProfileID,
    bus,
    clock,
    secrets,
    keyEnvelopes: createKeyEnvelopes(config.joinServerKEK),
    certificates,
    cluster,
    figures,
    redis,
    codecs,
    statistics,
    eventLog,
    devices: deviceContexts({ database, secrets }),
    missedEvents,
    recorder: eventRecorder({ database, bus, statistics, eventLog, clock, metrics, historySize: config.eventHistory }),
    metrics,
    log,
  };
  const outgoing = createOutgoing({
    allow: config.outgoingAllow,
    ownPorts: ownPortsOf(config),
    protectedServers: ownServersOf(config),
    metrics,
  });
  const own = replace.networks
    ? undefined
    : await createNetworks({ ...beside, principals, outgoing, steadyTime, held: begun.held });
  const singleSignOn =
    config.oidcProviderURL === '' ? undefined : createSingleSignOn({ ...beside, principals, outgoing });
  const networks = replace.networks ?? own!;
  const enqueue = createEnqueue({ ...beside, networks });
  const http = createOutgoingHTTP(outgoing, { ca: config.outgoingCA, proxy: config.outgoingProxy, log, metrics });
  parts.defer(() => http.close());
  const mqtt = replace.mqtt ?? (await brokerOf({ ...beside, principals, networks, enqueue }, own?.bridge));
  const adapters = { ...createIntegrations(beside), ...(mqtt?.integration && { MQTT: mqtt.integration }) };
  for (const { stop } of Object.values<Pick<IntegrationAdapter<never>, 'stop'>>(adapters)) parts.defer(() => stop?.());
  const ofDelivery = { ...beside, http, adapters, lookups: createEventLookups(beside) };
  const delivery = createDelivery({
    ...ofDelivery,
    steadyTime,
    loadIntegrations: () => loadConfigured(beside),
    attempt: createAttempt(ofDelivery),
    maxInFlight: config.deliveriesAtOnce,
    maxAgeMs: config.deliveryMaxAge,
    giveUpMs: config.deliveryGiveUp,
  });
  const testSend = createTestSend(ofDelivery);
  const others = { ...beside, principals, networks, enqueue, delivery, testSend };
  const needs: Needs = { ...others, singleSignOn, mqtt };

  const { app, ready, leave } = await createApp(needs);
  parts.defer(() => app.close());
  parts.defer(() => mqtt?.stop());
  await app.listen(config.http).catch((error: unknown) => {
    throw cannotListen('HILLTOP_HTTP', config.http, error);
  });

  await mqtt?.start();
  if (cluster.isAlone) {
    await delivery.start();
    parts.defer(() => delivery.stop());
  } else
    for (const slot of allSlots) {
      const part = { start: () => delivery.start([slot]), stop: () => delivery.stop([slot]) };
      parts.defer(cluster.lease(leaseNameOf(slot), (signal) => whileLeased(signal, part), leaseOfAllSlots));
    }

  parts.defer(() => own?.stop());
  const gateways = await own?.start();

  const { callbacks, joinServer } = own ?? {};
  const grpc =
    callbacks && config.grpc ? await startGrpcServer(config.grpc, { config, callbacks, metrics, log }) : undefined;
  if (grpc) parts.defer(() => grpc.stop());
  const joins =
    joinServer && config.joinServer
      ? await startJoinServerListener(config.joinServer, { ...needs, joinServer, envelopes: needs.keyEnvelopes })
      : undefined;
  if (joins) parts.defer(() => joins.stop());
  parts.defer(cluster.lease('gateway-pings', (signal) => whileLeased(signal, sendPings(needs))));

  const running = parts.move();
  ready();
  const { port: httpPort } = app.server.address() as AddressInfo;
  return {
    httpPort,
    udpPort: gateways?.udp,
    stationPort: gateways?.basicsStation,
    grpcPort: grpc?.port,
    joinServerPort: joins?.port,
    firstAdministrator,
    needs,
    leave: async () => {
      leave();
      if (cluster.live().length > 1) await sleep(leaveMs);
    },
    stop: () => running.disposeAsync(),
  };
}

/** Undefined for a single process, which does not load what speaks to it. */
async function redisOf({ redisURL }: Config, needed: Pick<Needs, 'log' | 'metrics'>): Promise<Needs['redis']> {
  if (redisURL === '') return undefined;
  return (await import('./redis/connection.ts')).connectRedis(redisURL, needed);
}

type BrokerNeeds = Omit<Needs, 'mqtt' | 'singleSignOn' | 'delivery' | 'testSend'>;

/** Undefined when MQTT is switched off. Its parts are loaded when it is not. */
async function brokerOf(needs: BrokerNeeds, bridge: Bridge | undefined): Promise<Broker | undefined> {
  const { mqtt, mqtts, mqttURL, integrationMarshaler, integrationEventID: withEventID } = needs.config;
  if (!mqtt && !mqtts && mqttURL === '') return undefined;
  const write = createMarshal({ withEventID });
  const marshaler = marshalers[integrationMarshaler];
  const gatewayNames = createGatewayNames(needs.database, () => needs.clock.monotonicMs());
  const marshal = async (event: LoggedEvent) => (await write(event, marshaler, { gatewayNames })).body;
  if (mqttURL !== '') return (await import('./mqtt/external.ts')).createExternalBroker({ ...needs, marshal, bridge });
  return (await import('./mqtt/embedded.ts')).createEmbeddedBroker({ ...needs, marshal, bridge });
}
