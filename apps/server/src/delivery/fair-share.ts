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

/**
 * Everybody gets a place in turn, however much they have to send, but nobody more than a part of what is free: whoever
 * falls silent all at once has taken what he can before anybody knows, and something is left for all others.
 */
const partOfFree = 4;

export function createFairShare({ most, mostDegraded }: { most: number; mostDegraded: number }): FairShare {
  const places = new Map<Sender, number>();
  /** Those that have to leave what is free to others, and whose turn it was. */
  const busy = new Map<Sender, Set<Sender>>();
  const now = new Set<Sender>();
  const later = new Set<Sender>();
  /** Those that wait for the end of somebody else's trouble. */
  const crowded = new Map<Sender, Set<Sender>>();
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
        crowded.set(sender, turn);
        continue;
      }
      if (placesOf(sender) >= (most - inFlight) / partOfFree) {
        busy.set(sender, turn);
        continue;
      }
      const send = sender.next();
      if (!send) continue;
      turn.add(sender);
      void run(sender, send, isDegraded);
    }
  }

  const placesOf = (sender: Sender) => places.get(sender) ?? 0;

  function hold(sender: Sender, more: 1 | -1): void {
    const held = placesOf(sender) + more;
    inFlight += more;
    if (held > 0) places.set(sender, held);
    else places.delete(sender);
  }

  async function run(sender: Sender, send: () => Promise<void>, isDegraded: boolean): Promise<void> {
    hold(sender, 1);
    if (isDegraded) degradedInFlight += 1;
    try {
      await send();
    } finally {
      hold(sender, -1);
      const [first = sender] = busy.keys();
      for (const one of [sender, first]) {
        busy.get(one)?.add(one);
        busy.delete(one);
      }
      if (isDegraded) {
        degradedInFlight -= 1;
        for (const [one, turn] of crowded) turn.add(one);
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
