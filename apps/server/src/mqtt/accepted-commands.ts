import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { mostUnacknowledgedFromClient } from './signed-in.ts';

/** A message under its packet identifier, as whoever sends it again names it. */
export interface Resendable {
  sender: string;
  messageID: number;
  /** Application, device and what it says. */
  content: string;
  /** How long it may come again. */
  forMs: number;
}

/** Which messages became downlinks, on disk: a process that dies has not always told their senders. */
export interface AcceptedCommands {
  has(message: Resendable): Promise<boolean>;
  /** In the transaction of the downlink. */
  keep(message: Resendable): Promise<void>;
}

/** Packet identifiers that follow each other have a slot each: nobody sends more before the first is acknowledged. */
const keptPerSender = mostUnacknowledgedFromClient;
const tidyEveryMs = 60_000;

const slotOf = ({ messageID }: Resendable) => messageID % keptPerSender;
const nameOf = ({ messageID, content }: Resendable) => `${messageID} ${content}`;

export function createAcceptedCommands({ database, clock }: { database: Database; clock: Clock }): AcceptedCommands {
  let tidiedAt = clock.monotonicMs();

  async function tidy(): Promise<void> {
    if (clock.monotonicMs() - tidiedAt < tidyEveryMs) return;
    tidiedAt = clock.monotonicMs();
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
    keep: async (message) => {
      await tidy();
      const row = { message: nameOf(message), until: new Date(clock.now().getTime() + message.forMs) };
      await database.query
        .insertInto('command_taken')
        .values({ sender: message.sender, slot: slotOf(message), ...row })
        .onConflict((on) => on.columns(['sender', 'slot']).doUpdateSet(row))
        .execute();
    },
  };
}
