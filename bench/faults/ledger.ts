import { type Spread, spreadOf } from '../driver/spread.ts';

/**
 * What an outsider was told: by gateways that got their acknowledgement, by streams that showed events, by antennas that
 * were asked to send, by answers of the API. Held against each other it says what was lost, doubled, late or unsafe.
 */
export interface Ledger {
  /** An uplink goes on the air; `mark` is its payload in base64, which nothing else has, and `name` for people. */
  uplinkSent(mark: string, name: string): void;
  uplinkAcknowledged(mark: string): void;
  /** A frame of an event stream, kept or new. */
  shown(devEUI: string, text: string): void;
  /** All kept events have been asked for again: what was shown before has to come once more. */
  showAgain(): void;
  /** A gateway was asked to send; `counter` names session, kind and FCnt. */
  downlink(counter: string, phyPayload: Uint8Array): void;
  /** The API accepted an item, whose payload in base64 is `mark`. */
  queued(mark: string, devEUI: string): void;
  /** A device heard, or a list showed, an item: it is not lost. */
  itemFound(mark: string): void;
  /** The API did not do what it was asked. */
  callFailed(): void;
  /** From now on the items of this device may rightly be gone. */
  flushed(devEUI: string): void;
  /** From now on the server can do all it should: what it holds back longer is late. */
  countLateness(): void;
  /** Acknowledged uplinks that no stream has shown yet. */
  waiting(): number;
  verdict(): Verdict;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  /** Milliseconds from sending to the acknowledgement of what was sent since lateness counts. */
  acknowledgement: Spread;
  /** Acknowledged to a gateway and never shown. */
  lost: number;
  /** The names of the first of them. */
  lostUplinks: string[];
  /** Uplinks shown as two events. */
  doubled: number;
  /** Uplinks that stand behind a later one of their session in the history, though acknowledged before that was sent. */
  outOfOrder: number;
  /** The names of the first of them. */
  outOfOrderUplinks: string[];
  /** The same of what a stream showed first. */
  shownOutOfOrder: number;
  /** Uplinks that stand behind a later one, which was sent before they were acknowledged. */
  belated: number;
  /** Events that a stream showed and the history does not know; an error gives way to the next of its kind. */
  forgotten: number;
  /** Events by their type, errors by what they say. */
  events: Record<string, number>;
  counters: number;
  /** Downlink counters under which more than one frame left. */
  counterReuse: number;
  callsFailed: number;
  items: number;
  /** Queued, not flushed, and neither sent nor waiting any more. */
  itemsLost: number;
  /** The longest time from where lateness counts, or from a later acknowledgement, to the event. */
  lateSeconds: number;
  /** The name of that uplink. */
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
  /** What its first event says. */
  told?: Told;
  streamIDs: Set<string>;
}

/** `nth`: how many were shown before; `seq`: its number among the events of the device. */
interface Told {
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

  function notice(mark: string, streamID: string, session: string, fCnt: number): void {
    const uplink = uplinks.get(mark);
    if (!uplink || uplink.streamIDs.has(streamID)) return;
    uplink.streamIDs.add(streamID);
    if (uplink.shownAt !== undefined) return;
    uplink.shownAt = now();
    unseen.delete(mark);
    const late = uplink.shownAt - Math.max(uplink.acknowledgedAt ?? Number.POSITIVE_INFINITY, lateFrom);
    if (late > lateMs) [lateMs, latestUplink] = [late, uplink.name];
    uplink.told = { session, fCnt, seq: Number(streamID.split('-')[1]), nth: shownUplinks };
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
      notice(data, result.streamID, `${devEUI}/${devAddr}`, fCnt);
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
  const sessions = Map.groupBy(uplinks.filter(hasTold), ({ told }) => told.session).values();
  const all = [...sessions].map((session) => ({ kept: behind(session, 'seq'), shown: behind(session, 'nth') }));
  const broken = all.flatMap(({ kept }) => kept.filter(isBroken));
  return {
    outOfOrder: broken.length,
    outOfOrderUplinks: broken.slice(0, namedAtMost).map(({ one, later }) => `${one.name}, ${later.name}`),
    shownOutOfOrder: all.flatMap(({ shown }) => shown.filter(isBroken)).length,
    belated: all.flatMap(({ kept }) => kept.filter((pair) => !isBroken(pair))).length,
  };
}

type ToldUplink = Uplink & { told: Told };
type Behind = { one: ToldUplink; later: ToldUplink };
const hasTold = (uplink: Uplink): uplink is ToldUplink => uplink.told !== undefined;
const isBroken = ({ one, later }: Behind) => (one.acknowledgedAt ?? Number.POSITIVE_INFINITY) <= later.sentAt;

/** The uplinks of a session that stand behind later ones, each with the first of those. */
function behind(session: readonly ToldUplink[], place: 'seq' | 'nth'): Behind[] {
  /** Each with a higher counter than all before it. */
  const highest: ToldUplink[] = [];
  const found: Behind[] = [];
  for (const one of session.toSorted((a, b) => a.told[place] - b.told[place])) {
    if ((highest.at(-1)?.told.fCnt ?? -1) < one.told.fCnt) highest.push(one);
    else found.push({ one, later: highest.find(({ told }) => told.fCnt > one.told.fCnt)! });
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
