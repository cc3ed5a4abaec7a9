import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';

/** What a feed needs of the client it is for. */
export interface FeedClient {
  /** Whose events it can hear; undefined when of several applications. */
  applicationID: number | undefined;
  /** Hands an event over if the client wants it. What it answers resolves when the next may come. */
  take: (event: LoggedEvent) => void | Promise<void>;
}

/** The events of one client, from the log: whoever is slow waits there, and holds up nobody. */
export interface Feed {
  /** How far it is behind the newest event. */
  behind: () => Promise<{ events: number; oldestAt: Date | undefined }>;
  stop: () => void;
}

const pageSize = 200;
/** Being woken is only a hint. */
const lookEveryMs = 1_000;

/** From now on. `onFailure` hears of a log that could not be read; the feed tries again. */
export async function startFeed(log: EventLog, client: FeedClient, onFailure: (error: unknown) => void): Promise<Feed> {
  const reader = log.reader(client.applicationID, await log.end());
  let isStopped = false;
  let isRunning = false;
  let isWoken = false;
  /** Read and not handed over yet. */
  let open: LoggedEvent[] = [];

  async function run(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      if (open.length === 0) open = await reader.next(pageSize);
      if (open.length === 0 && !isWoken) return;
      for (let event = open[0]; event && !isStopped; event = open[0]) {
        const handing = client.take(event);
        if (handing) await handing;
        open.shift();
      }
      // Others have their turn, however much there is.
      await new Promise(setImmediate);
    }
  }

  function wake(): void {
    isWoken = true;
    if (isRunning || isStopped) return;
    isRunning = true;
    run()
      .catch(onFailure)
      .finally(() => {
        isRunning = false;
      });
  }

  const timer = setInterval(wake, lookEveryMs);
  const forget = log.onAppend(client.applicationID, wake);
  wake();
  return {
    behind: () => log.behind(client.applicationID, reader.position(open)),
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      forget();
    },
  };
}
