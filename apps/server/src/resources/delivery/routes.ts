import {
  type DeliveryStatus,
  endedSentence,
  findKind,
  type IntegrationKind,
  notFound,
  type Operations,
  parseMessage,
  refusal,
} from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { ActiveIntegration } from '../../delivery/active-integration.ts';
import { readAttempts, toAttempt } from '../../delivery/attempt-rows.ts';
import {
  countDeadLetters,
  deleteDeadLetters,
  readDeadLetters,
  requeueDeadLetters,
} from '../../delivery/dead-letter-rows.ts';
import { deliveriesOfDevice } from '../../delivery/deliveries-of-device.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { countEvents, type Replay, type ReplayRange } from '../../delivery/replay-rows.ts';
import type { DeliverySettings } from '../../delivery/settings.ts';
import { compareByHealth, isUnhealthy, type OwnerApplication, statusOf } from '../../delivery/status.ts';
import type { TestSend } from '../../delivery/test-send.ts';
import { gatewaysOf, organizationOf } from '../../event-log/event.ts';
import type { EventLog, LoggedEvent, LoggedType } from '../../event-log/event-log.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { createThrottle } from '../../identity/throttle.ts';
import { acceptConfig } from '../../integrations/accept-config.ts';
import type { ConfiguredIntegration } from '../../integrations/integration.ts';
import { openSecrets } from '../../integrations/secrets.ts';
import { findIntegration } from '../../integrations/store.ts';
import type { Secrets } from '../../secrets.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { loadApplication } from '../application/store.ts';
import { loadDevice } from '../device/store.ts';
import { type Chosen, type ChosenOwner, chosenDelivery, ownerOf } from './chosen.ts';

const testsPerMinute = 10;
const countsPerMinute = 60;
const nothingSent =
  'Nothing was sent: the integration takes no such event, has no address for it, or the device lacks what it needs.';

function endedKind(name: string): IntegrationKind | undefined {
  const kind = findKind(name);
  return kind?.ended ? kind : undefined;
}

function checkOngoing(name: string): void {
  const kind = endedKind(name);
  if (kind) throw refusal('SERVICE_ENDED', { label: kind.label, date: kind.ended! });
}

function nothingSentTo(name: string): string {
  const kind = endedKind(name);
  return kind ? endedSentence(kind) : nothingSent;
}

interface DeliveryRoutesDependencies {
  config: Pick<DeliverySettings, 'deliveryMaxAge'>;
  database: Database;
  clock: Clock;
  secrets: Secrets;
  statistics: Statistics;
  eventLog: EventLog;
  delivery: Delivery;
  testSend: TestSend;
}

type DeliveryHandlers = Handlers<Operations['delivery']>;

/** Deliveries to integrations: their status, attempts, tests, replays and dead letters. */
export function deliveryRoutes(needs: DeliveryRoutesDependencies): DeliveryHandlers {
  return {
    ...statusHandlers(needs),
    ...sendHandlers(needs),
    ...controlHandlers(needs),
    ...replayHandlers(needs),
    ...deadLetterHandlers(needs),
  };
}

/** Status and attempts of integrations, and the deliveries of a device. */
function statusHandlers(
  needs: DeliveryRoutesDependencies,
): Pick<DeliveryHandlers, 'overview' | 'log' | 'ofDevice' | 'all'> {
  const { database, delivery, clock, config } = needs;
  const chosen = (request: Chosen) => chosenDelivery(needs, request);

  async function ownersOf(actives: readonly ActiveIntegration[]): Promise<Map<number, OwnerApplication>> {
    const ids = actives
      .map(({ runner }) => runner.integration().applicationID)
      .filter((id) => id !== undefined && organizationOf(id) === undefined) as number[];
    if (ids.length === 0) return new Map();
    const rows = await database.query
      .selectFrom('application')
      .select(['id', 'name', 'organization_id'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map((row) => [row.id, { name: row.name, organizationID: row.organization_id }]));
  }

  async function statusesOf(actives: readonly ActiveIntegration[]): Promise<DeliveryStatus[]> {
    const owners = await ownersOf(actives);
    const applicationOf = ({ runner }: ActiveIntegration) => owners.get(runner.integration().applicationID ?? 0);
    return Promise.all(actives.map((active) => statusOf(needs, active, applicationOf(active))));
  }

  /** The integrations of an organization, or all when it is undefined. */
  async function activesOf(organizationID: number | undefined): Promise<ActiveIntegration[]> {
    if (organizationID === undefined) return delivery.listAll();
    const { query } = database;
    const rows = await query
      .selectFrom('application')
      .select('id')
      .where('organization_id', '=', organizationID)
      .execute();
    const ids = new Set<number | undefined>([...rows.map(({ id }) => id), gatewaysOf(organizationID)]);
    return delivery.listAll().filter(({ runner }) => ids.has(runner.integration().applicationID));
  }

  return {
    overview: async (request) => {
      const id = ownerOf(request);
      if (id !== undefined && id > 0) await loadApplication(database, request.applicationID);
      return { result: await statusesOf(delivery.listOfApplication(id).sort(compareByHealth)) };
    },

    log: async (request) => {
      const { id, runner } = await chosen(request);
      await runner.store();
      const { count, rows } = await readAttempts(database, id, request);
      return { totalCount: String(count), result: rows.map(toAttempt) };
    },

    ofDevice: async ({ devEUI }) => {
      await loadDevice(database, devEUI);
      const about = { database, delivery, now: clock.now(), maxAgeMs: config.deliveryMaxAge };
      return { result: await deliveriesOfDevice(about, devEUI) };
    },

    all: async ({ limit, offset, organizationID, onlyTroubled }) => {
      const found = await activesOf(toFilterID(organizationID));
      const actives = found.filter((one) => !onlyTroubled || isUnhealthy(one)).sort(compareByHealth);
      const result = await statusesOf(actives.slice(offset, offset + limit));
      return { totalCount: String(actives.length), result };
    },
  };
}

/** Test events, and sending logged events again. Both share one throttle. */
function sendHandlers(needs: DeliveryRoutesDependencies): Pick<DeliveryHandlers, 'test' | 'event' | 'sendAgain'> {
  const { database, delivery, eventLog, clock } = needs;
  const tests = createThrottle(testsPerMinute, () => clock.monotonicMs());
  const chosen = (request: Chosen) => chosenDelivery(needs, request);

  function takeTest(request: ChosenOwner): void {
    const seconds = tests.take(String(ownerOf(request) ?? 0));
    if (seconds > 0) throw refusal('TOO_MANY', { what: 'test events', seconds });
  }

  return {
    test: async (request) => {
      const configured = await integrationToTest(needs, request);
      takeTest(request);
      const id = configured.applicationID;
      const name = id === undefined || id < 0 ? '' : (await loadApplication(database, request.applicationID)).name;
      const sent = await needs.testSend(configured, {
        applicationID: id ?? 0,
        applicationName: name,
        devEUI: request.devEUI,
        type: request.eventType === '' ? undefined : (request.eventType as LoggedType),
      });
      if (!sent) throw notFound('integration', request.kind);
      const { error, status, ms, event, isMadeUp, requests, excerpt } = sent;
      delivery.find(id, request.kind)?.attemptLog.addAttempt('TEST', { event, attempt: 1 }, sent, true);
      return {
        delivered: error === undefined && requests > 0,
        status,
        milliseconds: ms,
        message: error?.message ?? (requests > 0 ? '' : nothingSentTo(request.kind)),
        eventID: event.id,
        isMadeUp,
        requests,
        sent: sent.sent,
        excerpt,
      };
    },

    event: async (request) => {
      const { type: eventType, devEUI, at, json } = await eventOf(eventLog, await chosen(request), request.eventID);
      return { eventType, devEUI, at: at.toISOString(), payloadJSON: json };
    },

    sendAgain: async (request) => {
      const active = await chosen(request);
      const event = await eventOf(eventLog, active, request.eventID);
      takeTest(request);
      const { error, status, ms, requests } = await delivery.resend(active, event);
      return {
        delivered: error === undefined && requests > 0,
        status,
        milliseconds: ms,
        message: error?.message ?? (requests > 0 ? '' : nothingSentTo(request.kind)),
      };
    },
  };
}

/** The stored integration, or one with the given settings. */
async function integrationToTest(
  needs: DeliveryRoutesDependencies,
  { configJSON, ...chosen }: Chosen & { configJSON: string },
): Promise<ConfiguredIntegration> {
  const { database, secrets } = needs;
  if (configJSON === '') return (await chosenDelivery(needs, chosen)).runner.integration();
  const { kind } = chosen;
  const of = findKind(kind);
  const id = ownerOf(chosen);
  if (!of || id === undefined) throw notFound('integration', kind);
  const organizationID = organizationOf(id);
  const owner =
    organizationID === undefined ? { applicationID: String(id) } : { organizationID: String(organizationID) };
  const given = parseMessage(of.config, { ...readJSON(configJSON), ...owner });
  const row = await findIntegration(database, id, kind);
  const stored = row && { config: row.config, parts: openSecrets(secrets, row) };
  const config = { ...acceptConfig(of, given, stored), ...owner };
  return { id: row?.id ?? 0, applicationID: id, kind, config, revision: 0 };
}

/** A logged event of the application of an integration. */
async function eventOf(eventLog: EventLog, { runner }: ActiveIntegration, eventID: string): Promise<LoggedEvent> {
  const { applicationID } = runner.integration();
  const event = await eventLog.find(eventID);
  if (!event || (applicationID !== undefined && event.applicationID !== applicationID))
    throw notFound('event', eventID);
  return event;
}

/** Suspending, resuming and options of an integration. */
function controlHandlers(
  needs: DeliveryRoutesDependencies,
): Pick<DeliveryHandlers, 'suspend' | 'resume' | 'setOptions'> {
  const { delivery } = needs;
  const chosen = (request: Chosen) => chosenDelivery(needs, request);

  return {
    suspend: async (request) => {
      const { runner } = await chosen(request);
      runner.suspend('Suspended by a person. Let it go on when it is wanted again.');
      await runner.store();
      return {};
    },

    resume: async (request) => {
      const active = await chosen(request);
      if (request.from === 'NOW') await delivery.resumeFromNow(active);
      else {
        active.runner.resume();
        await active.runner.store();
      }
      return {};
    },

    setOptions: async (request) => {
      const { runner } = await chosen(request);
      runner.setOptions(request);
      await runner.store();
      return {};
    },
  };
}

/** Replays of logged events. */
function replayHandlers(
  needs: DeliveryRoutesDependencies,
): Pick<DeliveryHandlers, 'startReplay' | 'listReplays' | 'cancelReplay'> {
  const { database, delivery, clock } = needs;
  /** Each count reads the whole event log of an application. */
  const counts = createThrottle(countsPerMinute, () => clock.monotonicMs());
  const chosen = (request: Chosen) => chosenDelivery(needs, request);

  return {
    startReplay: async (request) => {
      const active = await chosen(request);
      checkOngoing(request.kind);
      const { from, to, devEUI, eventTypes: types, countOnly } = request;
      const range: ReplayRange = { from: new Date(from!), to: new Date(to!), devEUI, types };
      if (!countOnly && delivery.isReplaying(active)) throw refusal('REPLAY_RUNNING');
      const wanted =
        types.length === 0
          ? active.adapter.eventTypes
          : types.filter((type) => active.adapter.eventTypes.includes(type as LoggedType));
      const { applicationID } = active.runner.integration();
      const seconds = counts.take(String(applicationID ?? 0));
      if (seconds > 0) throw refusal('TOO_MANY', { what: 'counts of kept events', seconds });
      const { events, storedFrom } = await countEvents(database, applicationID, { ...range, types: wanted });
      const begun = countOnly ? { id: '' } : await delivery.startReplay(active, range, events);
      if (!begun) throw refusal('REPLAY_RUNNING');
      return { id: begun.id, events, storedFrom: storedFrom?.toISOString() ?? null };
    },

    listReplays: async (request) => ({ result: (await delivery.listReplays(await chosen(request))).map(toReplay) }),

    cancelReplay: async (request) => {
      if (!(await delivery.cancelReplay(await chosen(request), request.id))) throw notFound('replay', request.id);
      return {};
    },
  };
}

/** Events that an integration refused for good or too often. */
function deadLetterHandlers(
  needs: DeliveryRoutesDependencies,
): Pick<DeliveryHandlers, 'listDead' | 'retryDead' | 'deleteDead'> {
  const { database, clock } = needs;
  const chosen = (request: Chosen) => chosenDelivery(needs, request);

  return {
    listDead: async (request) => {
      const { id } = await chosen(request);
      const rows = await readDeadLetters(database, id, request);
      const result = rows.map((row) => ({
        eventID: row.event_id,
        eventType: row.type,
        devEUI: row.dev_eui,
        at: row.at.toISOString(),
        deadAt: row.dead_at!.toISOString(),
        attempts: row.attempts,
        status: row.status,
        message: row.message,
        payloadJSON: row.payload,
      }));
      return { totalCount: String(await countDeadLetters(database, id)), result };
    },

    retryDead: async (request) => {
      const { id, runner } = await chosen(request);
      const places = await requeueDeadLetters(database, id, request.eventIDs, clock.now());
      runner.requeueDeadLetters(places);
      return { events: places.length };
    },

    deleteDead: async (request) => ({
      events: await deleteDeadLetters(database, (await chosen(request)).id, request.eventIDs),
    }),
  };
}

function readJSON(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused below.
  }
  throw refusal('NOT_JSON', { problem: 'configJSON is no object' });
}

function toReplay({ id, from, to, devEUI, types, state, events, sent, failed, createdAt }: Replay) {
  return {
    id,
    from: from.toISOString(),
    to: to.toISOString(),
    devEUI,
    eventTypes: [...types],
    state,
    events,
    sent,
    failed,
    createdAt: createdAt.toISOString(),
  };
}
