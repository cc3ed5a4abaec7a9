import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { mostUnacknowledgedFromClient } from './signed-in.ts';

/** A message identified by its packet identifier, as the client repeats it when it resends the message. */
export interface Resendable {
  sender: string;
  messageID: number;
  /** Application, device and a hash of the payload. */
  content: string;
  /** How long the client may resend it. */
  forMs: number;
}

/** Stores the messages that became downlinks, because a process that ends may not have acknowledged them. */
export interface AcceptedCommands {
  has(message: Resendable): Promise<boolean>;
  /** Writes in the transaction of the downlink. */
  store(message: Resendable): Promise<void>;
}

/** Consecutive packet identifiers have different slots: a client sends no more before the first is acknowledged. */
const slotsPerSender = mostUnacknowledgedFromClient;
const deleteEveryMs = 60_000;

const slotOf = ({ messageID }: Resendable) => messageID % slotsPerSender;
const nameOf = ({ messageID, content }: Resendable) => `${messageID} ${content}`;

export function createAcceptedCommands({ database, clock }: { database: Database; clock: Clock }): AcceptedCommands {
  let deletedAtMs = clock.monotonicMs();

  async function deleteExpired(): Promise<void> {
    if (clock.monotonicMs() - deletedAtMs < deleteEveryMs) return;
    deletedAtMs = clock.monotonicMs();
    await database.query.deleteFrom('command_taken').where('until', '<', clock.now()).execute();
  }

  return {
    has: async (message) => {
      const row = await database.query
        .selectFrom('command_taken')
        .select(['message', 'until'])
        .where('sender', '=', message.sender)
        .where('slot', '=', slotOf(message))
        .executeTakeFirst();
      return row !== undefined && row.message === nameOf(message) && row.until > clock.now();
    },
    store: async (message) => {
      await deleteExpired();
      const row = { message: nameOf(message), until: new Date(clock.now().getTime() + message.forMs) };
      await database.query
        .insertInto('command_taken')
        .values({ sender: message.sender, slot: slotOf(message), ...row })
        .onConflict((on) => on.columns(['sender', 'slot']).doUpdateSet(row))
        .execute();
    },
  };
}
