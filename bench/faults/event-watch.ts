import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@hilltop/contract/client';
import type { Device } from '@hilltop/simulator';
import { type EventSockets, openEventSockets } from '../driver/event-sockets.ts';
import type { Ledger } from './ledger.ts';

interface EventWatchDependencies {
  client: Client;
  site: { url(): string };
  devices: readonly Device[];
  ledger: Pick<Ledger, 'shown'>;
  token: () => string;
}

const openWithinMs = 30_000;
const retryMs = 100;

/** Event streams of devices, whose events the ledger records. */
export class EventWatch {
  readonly #needs: EventWatchDependencies;
  #sockets: EventSockets | undefined;
  #openedAt = '';

  constructor(needs: EventWatchDependencies) {
    this.#needs = needs;
  }

  /** Replaces the open streams by streams of the first `some` devices, or of all. Retries for 30 s. */
  async open(some?: number): Promise<void> {
    const { client, site, devices, ledger, token } = this.#needs;
    // The old streams close after the new ones are open. Otherwise events would count as late while streams open.
    const before = this.#sockets;
    const watched = devices.slice(0, some);
    const paths = await Promise.all(watched.map(({ devEUI }) => client.device.streamEventLogs.path({ devEUI })));
    const onEvent = (index: number, text: string) => ledger.shown(watched[index]!.devEUI, text);
    const open = () => openEventSockets({ url: (this.#openedAt = site.url()), token: token(), paths, onEvent });
    const until = performance.now() + openWithinMs;
    for (this.#sockets = undefined; !this.#sockets; ) {
      this.#sockets = await open().catch(async (error: unknown) => {
        if (performance.now() > until) throw error;
        await delay(retryMs);
        return undefined;
      });
    }
    before?.[Symbol.dispose]();
  }

  /** The URL of the server of the streams; undefined unless all are open. */
  openAt(): string | undefined {
    return this.#sockets?.areOpen() ? this.#openedAt : undefined;
  }

  close(): void {
    this.#sockets?.[Symbol.dispose]();
  }
}
