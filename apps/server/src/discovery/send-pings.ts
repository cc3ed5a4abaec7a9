import { randomBytes } from 'node:crypto';
import type { Clock, NetworkServer, PingOutcome } from '@hilltop/network-server';
import type { ns } from '@hilltop/protobuf';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../metrics.ts';
import { type DuePing, mostOverdue, storeAttempt, storeOutcome } from './ping-rows.ts';

type Ping = Parameters<NetworkServer['ping']>[0];

interface PingDependencies {
  database: Database;
  networks: {
    of: (networkServerID: number) => Promise<Pick<ns.NetworkServerService, 'sendProprietaryPayload'>>;
    /** Resolves with null when the network server is remote. */
    embedded: { ping: (networkServerID: number, ping: Ping) => Promise<PingOutcome | null> };
  };
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

const everyMs = 1000;
const aliveMs = 5 * 60_000;
/** The most gateways that one round skips because they cannot send at all. */
const mostSkipped = 100;

/**
 * Gateway discovery: once a second the gateway that is most overdue sends a ping. The due times are stored, so a restart
 * repeats no ping. A lost ping counts as one of the pings of its day.
 */
export function sendPings(needs: PingDependencies): { start: () => void; stop: () => Promise<void> } {
  const { clock, log } = needs;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let sending: Promise<void> = Promise.resolve();

  function next(): void {
    if (isStopped) return;
    cancel = clock.after(everyMs, () => {
      sending = sendMostOverdue(needs)
        .catch((error: unknown) => log.warn({ err: error }, 'A gateway could not send its ping; the next one follows.'))
        .then(next);
    });
  }

  return {
    start: next,
    stop: async () => {
      isStopped = true;
      cancel();
      await sending;
    },
  };
}

/** Skips gateways that cannot send a ping, so that they do not delay the others. */
async function sendMostOverdue(needs: PingDependencies): Promise<void> {
  for (let skipped = 0; skipped < mostSkipped; skipped += 1) {
    const now = needs.clock.now();
    const due = await mostOverdue(needs.database, { now, aliveSince: new Date(now.getTime() - aliveMs) });
    if (!due) return;
    const outcome = await sendOne(needs, due, now);
    if (outcome !== 'BASICS_STATION' && outcome !== 'NOT_CONNECTED') return;
  }
}

async function sendOne(needs: PingDependencies, due: DuePing, at: Date): Promise<PingOutcome> {
  const { database, networks, metrics } = needs;
  const { gatewayID, networkServerID, frequency, dr } = due;
  const mic = randomBytes(4);
  // Stored before it is sent: a gateway that receives it looks it up.
  await storeAttempt(database, { gatewayID, mic: mic.toHex(), frequency, dr, createdAt: at });
  const ping = { gatewayID, mic, frequency, dr };
  const outcome =
    (await networks.embedded.ping(networkServerID, ping)) ?? (await sendByRemoteNetworkServer(needs, due, mic));
  await database.transaction(() => storeOutcome(database, { gatewayID, mic: mic.toHex(), outcome }));
  metrics.count('gateway_pings', { outcome });
  return outcome;
}

/** A remote network server does not report whether the gateway sent it. */
async function sendByRemoteNetworkServer(
  { networks }: PingDependencies,
  due: DuePing,
  mic: Uint8Array,
): Promise<PingOutcome> {
  const { gatewayID, networkServerID, frequency, dr } = due;
  const network = await networks.of(networkServerID);
  await network.sendProprietaryPayload({
    macPayload: new Uint8Array(),
    mic,
    gatewayMacs: [Uint8Array.fromHex(gatewayID)],
    polarizationInversion: false,
    frequency,
    dr,
  });
  return 'SENT';
}
