import { randomBytes } from 'node:crypto';
import type { PingOutcome } from '@hilltop/network-server';
import type { Needs } from '../needs.ts';
import { beginTry, type DuePing, endTry, mostOverdue } from './ping-rows.ts';

type PingDependencies = Pick<Needs, 'database' | 'networks' | 'clock' | 'log' | 'metrics'>;

const everyMs = 1000;
const aliveMs = 5 * 60_000;
/** So many that cannot send at all are passed over in one turn. */
const mostPassedOver = 100;

/**
 * Gateway discovery: once a second the gateway whose turn it is sends a ping. What is stored says when the next one is
 * due, so that a start repeats nothing, and a ping that is lost is one of the day's.
 */
export function sendPings(needs: PingDependencies): { start: () => void; stop: () => Promise<void> } {
  const { clock, log } = needs;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let sending: Promise<void> = Promise.resolve();

  function next(): void {
    if (isStopped) return;
    cancel = clock.after(everyMs, () => {
      sending = takeTurn(needs)
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

/** A gateway that has no way to send a ping takes nobody's turn. */
async function takeTurn(needs: PingDependencies): Promise<void> {
  for (let passedOver = 0; passedOver < mostPassedOver; passedOver += 1) {
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
  // Stored before it leaves: whoever hears it finds it.
  await beginTry(database, { gatewayID, mic: mic.toHex(), frequency, dr, createdAt: at });
  const ping = { gatewayID, mic, frequency, dr };
  const outcome = (await networks.embedded.ping(networkServerID, ping)) ?? (await sendElsewhere(needs, due, mic));
  await database.transaction(() => endTry(database, { gatewayID, mic: mic.toHex(), outcome }));
  metrics.count('gateway_pings', { outcome });
  return outcome;
}

/** Network servers elsewhere do not say what became of it. */
async function sendElsewhere({ networks }: PingDependencies, due: DuePing, mic: Uint8Array): Promise<PingOutcome> {
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
