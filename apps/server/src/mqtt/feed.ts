import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';

/** The client of a feed. */
export interface FeedClient {
  /** The application of its events; undefined for several applications. */
  applicationID: number | undefined;
  /** Sends an event if the client has subscribed to it. A promise delays the next event. */
  take: (event: LoggedEvent) => void | Promise<void>;
}

/** The events of one client, read from the event log. The events of a slow client wait there and delay no others. */
export interface Feed {
  /** How far the client is behind the newest event. */
  behind: () => Promise<{ events: number; oldestAt: Date | undefined }>;
  stop: () => void;
}

const pageSize = 200;
/** The feed also checks the log regularly, because wake-ups may be missing. */
const lookEveryMs = 1_000;

/** Starts with new events. Calls `onFailure` when the log cannot be read, and retries. */
export async function startFeed(log: EventLog, client: FeedClient, onFailure: (error: unknown) => void): Promise<Feed> {
  const reader = log.reader(client.applicationID, await log.end());
  let isStopped = false;
  let isRunning = false;
  let isWoken = false;
  /** Events that were read and not passed on yet. */
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
      // Lets other clients run, however many events there are.
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
