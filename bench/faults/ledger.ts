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
  const uplinks = new Map<string, Uplink>();
  const events = new Map<string, string>();
  const again = new Set<string>();
  const contents = new Map<string, Set<string>>();
  const items = new Map<string, { devEUI: string; isSettled: boolean }>();
  const unseen = new Set<string>();
  let [shownUplinks, lateFrom, isAgain, lateMs] = [0, Number.NEGATIVE_INFINITY, false, 0];
  let [latestUplink, callsFailed] = ['', 0];
  let [acknowledgedAt, quietMs] = [Number.POSITIVE_INFINITY, 0];

  function recordShown(mark: string, streamID: string, session: string, fCnt: number): void {
    const uplink = uplinks.get(mark);
    if (!uplink || uplink.streamIDs.has(streamID)) return;
    uplink.streamIDs.add(streamID);
    if (uplink.shownAt !== undefined) return;
    uplink.shownAt = now();
    unseen.delete(mark);
    const late = uplink.shownAt - Math.max(uplink.acknowledgedAt ?? Number.POSITIVE_INFINITY, lateFrom);
    if (late > lateMs) [lateMs, latestUplink] = [late, uplink.name];
    uplink.firstEvent = { session, fCnt, seq: Number(streamID.split('-')[1]), nth: shownUplinks };
    shownUplinks += 1;
  }

  return {
    uplinkSent: (mark, name) => void uplinks.set(mark, { name, sentAt: now(), streamIDs: new Set() }),
    uplinkAcknowledged(mark) {
      const uplink = uplinks.get(mark);
      if (!uplink || uplink.acknowledgedAt !== undefined) return;
      uplink.acknowledgedAt = now();
      quietMs = Math.max(quietMs, uplink.acknowledgedAt - acknowledgedAt);
      acknowledgedAt = uplink.acknowledgedAt;
      if (uplink.shownAt === undefined) unseen.add(mark);
    },
    shown(devEUI, text) {
      const { result } = JSON.parse(text) as { result?: { type: string; payloadJSON: string; streamID: string } };
      if (!result) return;
      const id = `${devEUI}/${result.streamID}`;
      events.set(id, nameOf(result));
      if (isAgain) again.add(id);
      if (result.type !== 'up') return;
      const { data, devAddr, fCnt } = JSON.parse(result.payloadJSON) as { data: string; devAddr: string; fCnt: number };
      recordShown(data, result.streamID, `${devEUI}/${devAddr}`, fCnt);
    },
    showAgain() {
      isAgain = true;
      again.clear();
    },
    downlink(counter, phyPayload) {
      const known = contents.get(counter) ?? new Set();
      contents.set(counter, known.add(phyPayload.toHex()));
    },
    queued: (mark, devEUI) => void items.set(mark, { devEUI, isSettled: items.get(mark)?.isSettled ?? false }),
    itemFound(mark) {
      const item = items.get(mark);
      if (item) item.isSettled = true;
      else items.set(mark, { devEUI: '', isSettled: true });
    },
    callFailed: () => void (callsFailed += 1),
    flushed(devEUI) {
      for (const item of items.values()) if (item.devEUI === devEUI) item.isSettled = true;
    },
    countLateness: () => void (lateFrom = now()),
    waiting: () => unseen.size,
    verdict: () => ({
      sent: uplinks.size,
      acknowledgement: spreadOf(
        [...uplinks.values()].flatMap(({ sentAt, acknowledgedAt }) =>
          acknowledgedAt !== undefined && sentAt >= lateFrom ? [acknowledgedAt - sentAt] : [],
        ),
      ),
      acknowledged: count(uplinks.values(), ({ acknowledgedAt }) => acknowledgedAt !== undefined),
      lost: unseen.size,
      lostUplinks: [...unseen].slice(0, namedAtMost).map((mark) => uplinks.get(mark)!.name),
      doubled: count(uplinks.values(), ({ streamIDs }) => streamIDs.size > 1),
      ...ordered([...uplinks.values()]),
      forgotten: isAgain ? count(events, ([id, type]) => !type.startsWith('error') && !again.has(id)) : 0,
      events: Object.fromEntries(
        Object.entries(Object.groupBy(events.values(), (type) => type)).map(([type, all = []]) => [type, all.length]),
      ),
      counters: contents.size,
      counterReuse: count(contents.values(), ({ size }) => size > 1),
      callsFailed,
      items: count(items.values(), ({ devEUI }) => devEUI !== ''),
      itemsLost: count(items.values(), ({ isSettled }) => !isSettled),
      lateSeconds: Math.round(lateMs / 100) / 10,
      latestUplink,
      quietSeconds: Math.round(quietMs / 100) / 10,
    }),
  };
}

function ordered(uplinks: readonly Uplink[]) {
  const sessions = Map.groupBy(uplinks.filter(hasFirstEvent), ({ firstEvent }) => firstEvent.session).values();
  const all = [...sessions].map((session) => ({ kept: behind(session, 'seq'), shown: behind(session, 'nth') }));
  const broken = all.flatMap(({ kept }) => kept.filter(isBroken));
  return {
    outOfOrder: broken.length,
    outOfOrderUplinks: broken.slice(0, namedAtMost).map(({ one, later }) => `${one.name}, ${later.name}`),
    shownOutOfOrder: all.flatMap(({ shown }) => shown.filter(isBroken)).length,
    belated: all.flatMap(({ kept }) => kept.filter((pair) => !isBroken(pair))).length,
  };
}

type ShownUplink = Uplink & { firstEvent: FirstEvent };
type Behind = { one: ShownUplink; later: ShownUplink };
const hasFirstEvent = (uplink: Uplink): uplink is ShownUplink => uplink.firstEvent !== undefined;
const isBroken = ({ one, later }: Behind) => (one.acknowledgedAt ?? Number.POSITIVE_INFINITY) <= later.sentAt;

/** The uplinks of a session that follow later ones, each with the first later one. */
function behind(session: readonly ShownUplink[], place: 'seq' | 'nth'): Behind[] {
  /** Uplinks with a higher counter than all before them. */
  const highest: ShownUplink[] = [];
  const found: Behind[] = [];
  for (const one of session.toSorted((a, b) => a.firstEvent[place] - b.firstEvent[place])) {
    if ((highest.at(-1)?.firstEvent.fCnt ?? -1) < one.firstEvent.fCnt) highest.push(one);
    else found.push({ one, later: highest.find(({ firstEvent }) => firstEvent.fCnt > one.firstEvent.fCnt)! });
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
