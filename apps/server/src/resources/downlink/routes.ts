import { atField, type Downlink, type DownlinkStep, notFound, type Operations, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { type DownlinkRow, dataOf, idPrefix, keptMs, type StoredStep } from '../../events/downlink-rows.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import type { Handlers } from '../../http/call.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Secrets } from '../../secrets.ts';
import { networkServerOf } from '../device/store.ts';
import type { EnqueueDownlink } from '../device-queue/enqueue.ts';

const usualLimit = 20;

interface DownlinkRoutesDependencies {
  database: Database;
  networks: Networks;
  secrets: Secrets;
  clock: Clock;
  enqueue: EnqueueDownlink;
  downlinkSteps: DownlinkSteps;
}

export function downlinkRoutes(needs: DownlinkRoutesDependencies): Handlers<Operations['downlink']> {
  const { database, networks, secrets, clock, enqueue } = needs;

  return {
    list: async ({ devEUI, state, limit: asked, before }) => {
      const limit = asked === 0 ? usualLimit : asked;
      const queued = await networks.embedded.queuedFCnts(await networkServerOf(database, devEUI), devEUI);
      const rows = await database.query
        .selectFrom('downlink')
        .selectAll()
        .where('dev_eui', '=', devEUI)
        .where('id', '>', idPrefix(clock.now().getTime() - keptMs))
        .$if(state !== '', (all) => all.where('state', '=', state as DownlinkRow['state']))
        .$if(before !== '', (all) => all.where('id', '<', before))
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      return {
        result: page.map((row) => toDownlink(row, dataOf(secrets, row), queued?.get(row.id))),
        older: rows.length > limit ? page.at(-1)!.id : '',
        isRemote: queued === null,
      };
    },

    create: async ({ downlink }, { principal }) => {
      const { devEUI, fPort, confirmed, hex, objectJSON, reference } = downlink;
      const given = [downlink.data ?? '', hex, objectJSON].filter((payload) => payload !== '');
      if (given.length > 1) throw atField('downlink.data', refusal('DOWNLINK_PAYLOADS'));
      if (fPort === 0 && objectJSON === '') throw atField('downlink.fPort', refusal('MISSING', { what: 'port' }));
      const expiresAt = downlink.expiresAt ? Date.parse(downlink.expiresAt) : undefined;
      if (expiresAt !== undefined && expiresAt <= clock.now().getTime())
        throw atField('downlink.expiresAt', refusal('DOWNLINK_EXPIRED'));
      const data = hex === '' ? downlink.data : Uint8Array.fromHex(hex).toBase64();
      const item = { devEUI, fPort, confirmed, fCnt: 0, data, jsonObject: objectJSON };
      const from = { origin: 'API', by: nameOf(principal), reference, expiresAt } as const;
      const queued = await enqueue(item, { ...from, objectField: 'downlink.objectJSON' });
      return { ...queued, data: queued.data.toBase64() };
    },

    cancel: async ({ devEUI, id }, { principal }) => {
      const network = await networkServerOf(database, devEUI);
      const row = await database.query
        .selectFrom('downlink')
        .select(['state', 'is_open'])
        .where('id', '=', id)
        .where('dev_eui', '=', devEUI)
        .executeTakeFirst();
      if (!row) throw notFound('downlink', id);
      if (!row.is_open) throw refusal('DOWNLINK_ENDED', { state: row.state });
      const outcome = await networks.embedded.cancel(network, devEUI, id, nameOf(principal));
      if (outcome === null) throw refusal('ONLY_FLUSH');
      if (outcome === 'in flight') throw refusal('DOWNLINK_IN_FLIGHT');
      if (outcome === 'unknown') throw refusal('DOWNLINK_ENDED', { state: row.state });
      return {};
    },
  };
}

/** `fCnt`: the counter that it waits with, if it does. */
function toDownlink(row: DownlinkRow, data: Uint8Array, fCnt = row.f_cnt): Downlink {
  const { id, origin, reference, state, reason, attempts, confirmed } = row;
  const steps = row.steps.split('\n').filter((line) => line !== '');
  return {
    ...{ id, confirmed, origin, reference, state, reason, attempts, fCnt },
    createdAt: new Date(row.created_at).toISOString(),
    fPort: row.f_port,
    data: data.length === 0 ? null : data.toBase64(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    steps: steps.map((line) => toStep(JSON.parse(line) as StoredStep)),
    stepsLeftOut: row.step_count - steps.length,
  };
}

const noDetails = { reason: '', fCnt: 0, gatewayID: '', window: '', frequency: 0, dr: 0, bytes: 0, limit: 0, by: '' };

function toStep({ at, ...step }: StoredStep): DownlinkStep {
  return { at: new Date(at).toISOString(), ...noDetails, ...step };
}
