import { type Spread, spreadOf } from '../driver/spread.ts';

/**
 * Records what the servers sent to the outside: acknowledgements to gateways, events in streams, downlinks, and responses
 * of the API. The verdict compares them: what was lost, duplicated, late or unsafe.
 */
export interface Ledger {
  /** A device sends an uplink. `mark` is its unique payload in base64; `name` is shown to people. */
  uplinkSent(mark: string, name: string): void;
  uplinkAcknowledged(mark: string): void;
  /** An event stream shows a stored or new event. */
  shown(devEUI: string, text: string): void;
  /** All stored events are requested again: each event that was shown has to appear once more. */
  showAgain(): void;
  /** A server sends a downlink to a gateway; `counter` names session, counter type and FCnt. */
  downlink(counter: string, phyPayload: Uint8Array): void;
  /** The API accepts a queue item; `mark` is its payload in base64. */
  queued(mark: string, devEUI: string): void;
  /** A device receives, or a list shows, a queue item: it is not lost. */
  itemFound(mark: string): void;
  /** A call of the API fails. */
  callFailed(): void;
  /** The queue of the device is flushed: its items may disappear from now on. */
  flushed(devEUI: string): void;
  /** The faults have ended: an event counts as late from now on. */
  countLateness(): void;
  /** Number of acknowledged uplinks that no stream has shown yet. */
  waiting(): number;
  verdict(): Verdict;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  /** Latency from sending to the acknowledgement in ms, of uplinks sent since `countLateness`. */
  acknowledgement: Spread;
  /** Number of acknowledged uplinks that no stream showed. */
  lost: number;
  /** The names of the first of them. */
  lostUplinks: string[];
  /** Number of uplinks shown as two events. */
  doubled: number;
  /** Number of uplinks that follow a later one of their session in the history, although they were acknowledged before it was sent. */
  outOfOrder: number;
  /** The names of the first of them. */
  outOfOrderUplinks: string[];
  /** The same number for the order in which streams first showed uplinks. */
  shownOutOfOrder: number;
  /** Number of uplinks that follow a later one which was sent before they were acknowledged. */
  belated: number;
  /** Number of shown events that the history lacks. A newer error of the same kind replaces an older one. */
  forgotten: number;
  /** Number of events by type; errors by their message. */
  events: Record<string, number>;
  counters: number;
  /** Number of downlink counters that were used for more than one frame. */
  counterReuse: number;
  callsFailed: number;
  items: number;
  /** Number of queue items that were neither flushed nor sent and are no longer queued. */
  itemsLost: number;
  /** The longest time from `countLateness`, or from a later acknowledgement, to the event. */
  lateSeconds: number;
  /** The name of the uplink with this time. */
  latestUplink: string;
  /** The longest time between two acknowledgements. */
  quietSeconds: number;
}

const namedAtMost = 50;

interface Uplink {
  name: string;
  sentAt: number;
  acknowledgedAt?: number;
  shownAt?: number;
  /** The facts of its first event. */
  firstEvent?: FirstEvent;
  streamIDs: Set<string>;
}

/** `nth`: number of uplinks shown before; `seq`: its number among the events of the device. */
interface FirstEvent {
  session: string;
  fCnt: number;
  seq: number;
  nth: number;
}

export function createLedger(now: () => number = () => performance.now()): Ledger {
  return new FaultLedger(now);
}

class FaultLedger implements Ledger {
  readonly #now: () => number;
  readonly #uplinks = new Map<string, Uplink>();
  readonly #events = new Map<string, string>();
  readonly #again = new Set<string>();
  readonly #contents = new Map<string, Set<string>>();
  readonly #items = new Map<string, { devEUI: string; isSettled: boolean }>();
  readonly #unseen = new Set<string>();
  #shownUplinks = 0;
  #lateFrom = Number.NEGATIVE_INFINITY;
  #isAgain = false;
  #lateMs = 0;
  #latestUplink = '';
  #callsFailed = 0;
  #acknowledgedAt = Number.POSITIVE_INFINITY;
  #quietMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  uplinkSent(mark: string, name: string): void {
    this.#uplinks.set(mark, { name, sentAt: this.#now(), streamIDs: new Set() });
  }

  uplinkAcknowledged(mark: string): void {
    const uplink = this.#uplinks.get(mark);
    if (!uplink || uplink.acknowledgedAt !== undefined) return;
    uplink.acknowledgedAt = this.#now();
    this.#quietMs = Math.max(this.#quietMs, uplink.acknowledgedAt - this.#acknowledgedAt);
    this.#acknowledgedAt = uplink.acknowledgedAt;
    if (uplink.shownAt === undefined) this.#unseen.add(mark);
  }

  shown(devEUI: string, text: string): void {
    const { result } = JSON.parse(text) as { result?: { type: string; payloadJSON: string; streamID: string } };
    if (!result) return;
    const id = `${devEUI}/${result.streamID}`;
    this.#events.set(id, nameOf(result));
    if (this.#isAgain) this.#again.add(id);
    if (result.type !== 'up') return;
    const { data, devAddr, fCnt } = JSON.parse(result.payloadJSON) as { data: string; devAddr: string; fCnt: number };
    this.#recordShown(data, result.streamID, `${devEUI}/${devAddr}`, fCnt);
  }

  showAgain(): void {
    this.#isAgain = true;
    this.#again.clear();
  }

  downlink(counter: string, phyPayload: Uint8Array): void {
    const known = this.#contents.get(counter) ?? new Set();
    this.#contents.set(counter, known.add(phyPayload.toHex()));
  }

  queued(mark: string, devEUI: string): void {
    this.#items.set(mark, { devEUI, isSettled: this.#items.get(mark)?.isSettled ?? false });
  }

  itemFound(mark: string): void {
    const item = this.#items.get(mark);
    if (item) item.isSettled = true;
    else this.#items.set(mark, { devEUI: '', isSettled: true });
  }

  callFailed(): void {
    this.#callsFailed += 1;
  }

  flushed(devEUI: string): void {
    for (const item of this.#items.values()) if (item.devEUI === devEUI) item.isSettled = true;
  }

  countLateness(): void {
    this.#lateFrom = this.#now();
  }

  waiting(): number {
    return this.#unseen.size;
  }

  verdict(): Verdict {
    return {
      sent: this.#uplinks.size,
      acknowledgement: spreadOf(
        [...this.#uplinks.values()].flatMap(({ sentAt, acknowledgedAt }) =>
          acknowledgedAt !== undefined && sentAt >= this.#lateFrom ? [acknowledgedAt - sentAt] : [],
        ),
      ),
      acknowledged: count(this.#uplinks.values(), ({ acknowledgedAt }) => acknowledgedAt !== undefined),
      lost: this.#unseen.size,
      lostUplinks: [...this.#unseen].slice(0, namedAtMost).map((mark) => this.#uplinks.get(mark)!.name),
      doubled: count(this.#uplinks.values(), ({ streamIDs }) => streamIDs.size > 1),
      ...ordered([...this.#uplinks.values()]),
      forgotten: this.#isAgain
        ? count(this.#events, ([id, type]) => !type.startsWith('error') && !this.#again.has(id))
        : 0,
      events: Object.fromEntries(
        Object.entries(Object.groupBy(this.#events.values(), (type) => type)).map(([type, all = []]) => [
          type,
          all.length,
        ]),
      ),
      counters: this.#contents.size,
      counterReuse: count(this.#contents.values(), ({ size }) => size > 1),
      callsFailed: this.#callsFailed,
      items: count(this.#items.values(), ({ devEUI }) => devEUI !== ''),
      itemsLost: count(this.#items.values(), ({ isSettled }) => !isSettled),
      lateSeconds: Math.round(this.#lateMs / 100) / 10,
      latestUplink: this.#latestUplink,
      quietSeconds: Math.round(this.#quietMs / 100) / 10,
    };
  }

  #recordShown(mark: string, streamID: string, session: string, fCnt: number): void {
    const uplink = this.#uplinks.get(mark);
    if (!uplink || uplink.streamIDs.has(streamID)) return;
    uplink.streamIDs.add(streamID);
    if (uplink.shownAt !== undefined) return;
    uplink.shownAt = this.#now();
    this.#unseen.delete(mark);
    const late = uplink.shownAt - Math.max(uplink.acknowledgedAt ?? Number.POSITIVE_INFINITY, this.#lateFrom);
    if (late > this.#lateMs) [this.#lateMs, this.#latestUplink] = [late, uplink.name];
    uplink.firstEvent = { session, fCnt, seq: Number(streamID.split('-')[1]), nth: this.#shownUplinks };
    this.#shownUplinks += 1;
  }
}

function ordered(uplinks: readonly Uplink[]) {
  const sessions = Map.groupBy(uplinks.filter(hasFirstEvent), ({ firstEvent }) => firstEvent.session).values();
  const all = [...sessions].map((session) => ({ stored: overtaken(session, 'seq'), shown: overtaken(session, 'nth') }));
  const broken = all.flatMap(({ stored }) => stored.filter(isBroken));
  return {
    outOfOrder: broken.length,
    outOfOrderUplinks: broken.slice(0, namedAtMost).map(({ uplink, later }) => `${uplink.name}, ${later.name}`),
    shownOutOfOrder: all.flatMap(({ shown }) => shown.filter(isBroken)).length,
    belated: all.flatMap(({ stored }) => stored.filter((pair) => !isBroken(pair))).length,
  };
}

type ShownUplink = Uplink & { firstEvent: FirstEvent };
type OvertakenUplink = { uplink: ShownUplink; later: ShownUplink };
const hasFirstEvent = (uplink: Uplink): uplink is ShownUplink => uplink.firstEvent !== undefined;
const isBroken = ({ uplink, later }: OvertakenUplink) =>
  (uplink.acknowledgedAt ?? Number.POSITIVE_INFINITY) <= later.sentAt;

/** The uplinks of a session that follow later ones, each with the first later one. */
function overtaken(session: readonly ShownUplink[], order: 'seq' | 'nth'): OvertakenUplink[] {
  /** Uplinks with a higher counter than all before them. */
  const highest: ShownUplink[] = [];
  const found: OvertakenUplink[] = [];
  for (const uplink of session.toSorted((a, b) => a.firstEvent[order] - b.firstEvent[order])) {
    if ((highest.at(-1)?.firstEvent.fCnt ?? -1) < uplink.firstEvent.fCnt) highest.push(uplink);
    else found.push({ uplink, later: highest.find(({ firstEvent }) => firstEvent.fCnt > uplink.firstEvent.fCnt)! });
  }
  return found;
}

function nameOf({ type, payloadJSON }: { type: string; payloadJSON: string }): string {
  if (type !== 'error') return type;
  const { type: kind, error } = JSON.parse(payloadJSON) as { type: string; error: string };
  return `error ${kind} ${error}`;
}

function count<T>(values: Iterable<T>, isOne: (value: T) => boolean): number {
  let found = 0;
  for (const value of values) if (isOne(value)) found += 1;
  return found;
}
