/** Somebody who sends: an integration, or one of its replays. */
export interface Sender {
  /** While it has trouble, it shares a smaller number of places with others that have. */
  isDegraded(): boolean;
  /** What to send next; undefined while there is nothing or it may not. */
  next(): (() => Promise<void>) | undefined;
}

/** The places for requests under way, of one process. */
export interface FairShare {
  /** Somebody has something to send. */
  want(sender: Sender): void;
  /** The same for what can wait: it only gets places that nobody else wants. */
  wantLater(sender: Sender): void;
  inFlight(): number;
}

/** How long requests may be made between two turns of the event loop. */
const longestTurnMs = 5;

/** Everybody gets a place in turn, however much they have to send. */
export function createFairShare({ most, mostDegraded }: { most: number; mostDegraded: number }): FairShare {
  const now = new Set<Sender>();
  const later = new Set<Sender>();
  /** Those that wait for the end of somebody else's trouble. */
  const crowded = new Set<Sender>();
  let inFlight = 0;
  let degradedInFlight = 0;
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      pump();
    });
  }

  function pump(): void {
    const endAt = performance.now() + longestTurnMs;
    while (inFlight < most) {
      const turn = now.size > 0 ? now : later;
      const [sender] = turn;
      if (!sender) return;
      if (performance.now() > endAt) return plan();
      turn.delete(sender);
      const isDegraded = sender.isDegraded();
      if (isDegraded && degradedInFlight >= mostDegraded) {
        crowded.add(sender);
        continue;
      }
      const send = sender.next();
      if (!send) continue;
      turn.add(sender);
      void run(send, isDegraded);
    }
  }

  async function run(send: () => Promise<void>, isDegraded: boolean): Promise<void> {
    inFlight += 1;
    if (isDegraded) degradedInFlight += 1;
    try {
      await send();
    } finally {
      inFlight -= 1;
      if (isDegraded) {
        degradedInFlight -= 1;
        for (const sender of crowded) now.add(sender);
        crowded.clear();
      }
      plan();
    }
  }

  return {
    want: (sender) => {
      now.add(sender);
      plan();
    },
    wantLater: (sender) => {
      later.add(sender);
      plan();
    },
    inFlight: () => inFlight,
  };
}
