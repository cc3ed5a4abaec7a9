import { randomBytes } from 'node:crypto';
import type { Needs } from '../needs.ts';
import { mostOverdue, savePing } from './ping-rows.ts';

type Needed = Pick<Needs, 'database' | 'networks' | 'clock' | 'log' | 'metrics'>;

const everyMs = 1000;
const aliveMs = 5 * 60_000;

/**
 * Gateway discovery: once a second the gateway whose turn it is sends a ping. What is stored says when the next one is
 * due, so that a start repeats nothing, and a ping that is lost is one of the day's. Answers how to stop.
 */
export function sendPings(needs: Needed): () => Promise<void> {
  const { clock, log } = needs;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let sending: Promise<void> = Promise.resolve();

  function next(): void {
    if (isStopped) return;
    cancel = clock.after(everyMs, () => {
      sending = sendOne(needs)
        .catch((error: unknown) => log.warn({ err: error }, 'A gateway could not send its ping; the next one follows.'))
        .then(next);
    });
  }

  next();
  return async () => {
    isStopped = true;
    cancel();
    await sending;
  };
}

async function sendOne({ database, networks, clock, metrics }: Needed): Promise<void> {
  const now = clock.now();
  const due = await mostOverdue(database, { now, aliveSince: new Date(now.getTime() - aliveMs) });
  if (!due) return;
  const { gatewayID, networkServerID, frequency, dr } = due;
  const mic = randomBytes(4);
  // Stored before it leaves: whoever hears it finds it.
  await database.transaction(() => savePing(database, { gatewayID, mic: mic.toHex(), frequency, dr, createdAt: now }));
  const network = await networks.of(networkServerID);
  await network.sendProprietaryPayload({
    ...{ macPayload: new Uint8Array(), mic, gatewayMacs: [Uint8Array.fromHex(gatewayID)] },
    ...{ polarizationInversion: false, frequency, dr },
  });
  metrics.count('gateway_pings');
}
