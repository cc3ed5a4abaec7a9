import type { Logger } from 'pino';
import { elapsedSince, type KnownTime } from '../database/elapsed-time.ts';
import type { Metrics } from '../metrics.ts';
import { type AlertMessageRow, type MessageOutcome, type SendingDependencies, sendMessage } from './send-message.ts';

interface SenderDependencies extends SendingDependencies {
  log: Pick<Logger, 'error'>;
  metrics: Pick<Metrics, 'count'>;
  time: () => KnownTime;
}

const second = 1000;
const minute = 60 * second;
/** The pause after the n-th try; the last one repeats. */
const pauses = [30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute];
const giveUpMs = 24 * 60 * minute;
/** A process that ended while sending leaves the message to the next one after this time. */
const claimMs = 2 * minute;
const mailPauseMs = 30 * second;
/** Waiting longer than any pause: the clock was set back. */
const longestPauseMs = 65 * minute;
const mostSending = 8;
/** A slow endpoint leaves room for others. */
const mostSendingOfKind = 4;

/** Sends the messages that wait, each until it is accepted or a day has passed. One instance at a time has one. */
export class MessageSender {
  readonly #needs: SenderDependencies;
  readonly #sending = new Map<string, { kind: AlertMessageRow['kind']; done: Promise<void> }>();
  #mailPausedUntil = 0;
  #isStopping = false;

  constructor(needs: SenderDependencies) {
    this.#needs = needs;
  }

  start(): void {
    this.#isStopping = false;
  }

  /** Begins to send what is due. `settled` resolves when all that was begun has ended. */
  async look(): Promise<void> {
    for (const kind of ['EMAIL', 'WEBHOOK'] as const) {
      const ofKind = [...this.#sending.values()].filter((one) => one.kind === kind).length;
      const room = Math.min(mostSending - this.#sending.size, mostSendingOfKind - ofKind);
      if (room > 0 && !this.#isPaused(kind)) await this.#begin(kind, room);
    }
  }

  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all([...this.#sending.values()].map(({ done }) => done));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.settled();
  }

  #isPaused(kind: AlertMessageRow['kind']): boolean {
    const now = this.#needs.now().getTime();
    return kind === 'EMAIL' && now < this.#mailPausedUntil && this.#mailPausedUntil - now <= mailPauseMs;
  }

  async #begin(kind: AlertMessageRow['kind'], room: number): Promise<void> {
    const now = this.#needs.now().getTime();
    const due = await this.#needs.database.query
      .selectFrom('alert_message')
      .selectAll()
      .where('state', '=', 'WAITING')
      .where('kind', '=', kind)
      .where((eb) => eb.or([eb('next_at', '<=', now), eb('next_at', '>', now + longestPauseMs)]))
      // A receiver gets the messages of a rule in their order: that something is over comes last.
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('alert_message as earlier')
              .select('earlier.id')
              .whereRef('earlier.rule_id', '=', 'alert_message.rule_id')
              .whereRef('earlier.receiver', '=', 'alert_message.receiver')
              .whereRef('earlier.created_at', '<', 'alert_message.created_at')
              .where('earlier.state', '=', 'WAITING'),
          ),
        ),
      )
      .orderBy('next_at')
      .limit(room + this.#sending.size)
      .execute();
    for (const message of due.filter(({ id }) => !this.#sending.has(id)).slice(0, room)) {
      if (this.#isStopping) return;
      const done = this.#send(message)
        .catch((error: unknown) => {
          this.#needs.log.error({ err: error, message: message.id }, 'a message about alerts could not be handled');
        })
        .finally(() => this.#sending.delete(message.id));
      this.#sending.set(message.id, { kind, done });
    }
  }

  async #send(message: AlertMessageRow): Promise<void> {
    const { database, metrics, now } = this.#needs;
    const { numUpdatedRows } = await database.query
      .updateTable('alert_message')
      .set({ attempts: message.attempts + 1, next_at: now().getTime() + claimMs })
      .where('id', '=', message.id)
      .where('state', '=', 'WAITING')
      .where('attempts', '=', message.attempts)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    const result = await sendMessage(this.#needs, message);
    if (result.isMailServerDown) this.#mailPausedUntil = now().getTime() + mailPauseMs;
    const name = await this.#write(message, result);
    metrics.count('alert_messages', { kind: message.kind.toLowerCase(), outcome: name });
  }

  async #write(message: AlertMessageRow, result: MessageOutcome): Promise<'sent' | 'retried' | 'failed'> {
    const { isSent, isFinal, status, problem, retryAfterMs } = result;
    const time = this.#needs.time();
    const { now } = time;
    const pause = Math.max(pauses[Math.min(message.attempts, pauses.length - 1)]!, retryAfterMs);
    const isOver = isSent || isFinal || elapsedSince(time, message.created_at).ms + pause > giveUpMs;
    const state = isSent ? 'SENT' : isOver ? 'FAILED' : 'WAITING';
    await this.#needs.database.query
      .updateTable('alert_message')
      .set({
        state,
        status,
        problem,
        next_at: isOver ? null : now + pause,
        ended_at: isOver ? now : null,
        // The link to confirm an address is a secret.
        ...(isOver && message.rule_id === null && { body: '{}' }),
      })
      .where('id', '=', message.id)
      .execute();
    return isSent ? 'sent' : isOver ? 'failed' : 'retried';
  }
}
