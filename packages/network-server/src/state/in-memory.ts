import { isDeepStrictEqual } from 'node:util';
import { isCooldown } from '../platform/cooldowns.ts';
import type { DueClaim } from './due.ts';
import type { Effect } from './effect.ts';
import type { RecordKind, Records } from './records.ts';
import type { DeviceSession } from './session.ts';
import type {
  DevNonceUse,
  JournalEntry,
  JournalID,
  MulticastItem,
  MulticastItemID,
  QueueItem,
  State,
  Write,
} from './state.ts';

interface Tables {
  records: Map<string, Records[RecordKind]>;
  /** By device and role. */
  sessions: Map<string, DeviceSession>;
  queue: Map<string, QueueItem>;
  activations: (DevNonceUse & { devAddr: string; at: number })[];
  journal: Map<JournalID, string>;
  /** By kind and key. */
  due: Map<string, DueClaim & { at: number }>;
  multicastFCnts: Map<string, number>;
  /** DevEUIs by group. */
  multicastMembers: Map<string, Set<string>>;
  multicastItems: MulticastItem[];
  /** Ends by gateway or group. */
  multicastRests: Map<string, number>;
}

/** A state in memory, for tests and as the simplest implementation of the interface. */
export function createInMemoryState({ apply }: { apply: (effect: Effect) => void }): State {
  const tables: Tables = {
    records: new Map(),
    sessions: new Map(),
    queue: new Map(),
    activations: [],
    journal: new Map(),
    due: new Map(),
    multicastFCnts: new Map(),
    multicastMembers: new Map(),
    multicastItems: [],
    multicastRests: new Map(),
  };
  const dueListeners: Parameters<State['onDue']>[0][] = [];
  return {
    ...deviceReads(tables),
    ...multicastReads(tables),
    ...journal(tables),
    ...dueReads(tables),
    onDue(listen) {
      dueListeners.push(listen);
    },
    isStorageFailure: () => false,
    noteFailure: () => undefined,
    async commit(unit) {
      if (!unit.writes.every((write) => isAllowed(tables, write))) return false;
      for (const write of structuredClone(unit.writes)) applyWrite(tables, write);
      for (const effect of unit.effects) apply(effect);
      for (const notice of unit.writes.map((write) => dueNoticeOf(tables, write)))
        if (notice) for (const listen of dueListeners) listen(...notice);
      return true;
    },
  };
}

/** Records, and what belongs to one device. */
function deviceReads(
  tables: Tables,
): Pick<
  State,
  | 'get'
  | 'sessionsByDevAddr'
  | 'sessions'
  | 'sessionsInBrief'
  | 'sessionsAfter'
  | 'queue'
  | 'devNonceUsedAt'
  | 'highestDevNonce'
> {
  const ofDevice = (devEUI: string) => [...tables.queue.values()].filter((item) => item.devEUI === devEUI);
  return {
    async get<K extends RecordKind>(of: K, id: string) {
      return (structuredClone(tables.records.get(`${of}/${id}`)) as Records[K] | undefined) ?? null;
    },
    async sessionsByDevAddr(devAddr) {
      return structuredClone([...tables.sessions.values()].filter((session) => session.devAddr === devAddr));
    },
    async sessions(devEUI) {
      const current = tables.sessions.get(`${devEUI}/current`) ?? null;
      const pending = tables.sessions.get(`${devEUI}/pending`) ?? null;
      const replaced = tables.sessions.get(`${devEUI}/replaced`) ?? null;
      return structuredClone({ current, pending, replaced });
    },
    async sessionsInBrief(devEUI) {
      const inRole = (role: string) => {
        const session = tables.sessions.get(`${devEUI}/${role}`);
        return session ? { id: session.id, devAddr: session.devAddr } : null;
      };
      return { current: inRole('current'), pending: inRole('pending'), replaced: inRole('replaced') };
    },
    async sessionsAfter(devEUI, most) {
      const following = [...tables.sessions.values()].filter((one) => one.role === 'current' && one.devEUI > devEUI);
      const inOrder = following.sort((one, other) => (one.devEUI < other.devEUI ? -1 : 1)).slice(0, most);
      return structuredClone(inOrder).map(({ keys: _keys, ...session }) => session);
    },
    async queue(devEUI) {
      return structuredClone(ofDevice(devEUI).sort((a, b) => a.fCnt - b.fCnt));
    },
    async devNonceUsedAt(nonce) {
      return tables.activations.find((activation) => isSameNonce(activation, nonce))?.at ?? null;
    },
    async highestDevNonce(of) {
      const used = tables.activations.filter((one) => isSameNonce(one, { ...of, devNonce: one.devNonce }));
      return used.length === 0 ? null : Math.max(...used.map(({ devNonce }) => devNonce));
    },
  };
}

function journal(
  tables: Tables,
): Pick<State, 'receive' | 'unfinished' | 'unfinishedBeginning' | 'journalled' | 'abandoned'> {
  let lastID = 0;

  async function unfinished(after: JournalID, most: number): Promise<JournalEntry[]> {
    const left = [...tables.journal].filter(([id]) => id > after);
    return left.slice(0, most).map(([id, copy]) => ({ id, copy }));
  }

  return {
    async receive(copies) {
      return copies.map((copy) => {
        lastID += 1;
        tables.journal.set(lastID, copy);
        return lastID;
      });
    },
    unfinished,
    unfinishedBeginning: async (beginnings) =>
      (await unfinished(0, Number.POSITIVE_INFINITY)).filter(({ copy }) =>
        beginnings.some((beginning) => copy.startsWith(beginning)),
      ),
    async journalled(ids) {
      return [...tables.journal].filter(([id]) => ids.includes(id)).map(([id, copy]) => ({ id, copy }));
    },
    /** It knows no instances and no time, so every unfinished copy may be abandoned. */
    abandoned: async (after, most, { inHand }) =>
      (await unfinished(after, Number.POSITIVE_INFINITY)).filter(({ id }) => !inHand.has(id)).slice(0, most),
  };
}

function dueReads(tables: Tables): Pick<State, 'claimDue' | 'nextDueAt'> {
  return {
    async claimDue({ now, leaseUntil, most }) {
      const due = [...tables.due.values()].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      return due.slice(0, most).map((one) => {
        one.at = leaseUntil;
        one.turn += 1;
        return { kind: one.kind, key: one.key, turn: one.turn };
      });
    },
    async nextDueAt() {
      const times = [...tables.due.values()].map(({ at }) => at);
      return times.length === 0 ? null : Math.min(...times);
    },
  };
}

function multicastReads(
  tables: Tables,
): Pick<
  State,
  'multicastFCnt' | 'multicastMembers' | 'multicastQueue' | 'nextMulticast' | 'multicastRests' | 'multicastHeads'
> {
  return {
    async multicastFCnt(groupID) {
      return tables.multicastFCnts.get(groupID) ?? null;
    },
    async multicastMembers(groupID) {
      return [...(tables.multicastMembers.get(groupID) ?? [])].sort().map((devEUI) => {
        const { dr = 0, receivers = [] } = tables.sessions.get(`${devEUI}/current`) ?? {};
        return structuredClone({ devEUI, dr, receivers });
      });
    },
    async multicastQueue(groupID) {
      const ofGroup = tables.multicastItems.filter((item) => item.groupID === groupID);
      return structuredClone(ofGroup.sort((a, b) => a.fCnt - b.fCnt || compareText(a.gatewayID, b.gatewayID)));
    },
    async nextMulticast({ groupID, gatewayID }) {
      const inQueue = tables.multicastItems.filter((item) => item.groupID === groupID && item.gatewayID === gatewayID);
      return structuredClone(inQueue.sort((a, b) => a.fCnt - b.fCnt)[0] ?? null);
    },
    async multicastRests(of) {
      return new Map(of.flatMap((id) => (tables.multicastRests.has(id) ? [[id, tables.multicastRests.get(id)!]] : [])));
    },
    async multicastHeads(gatewayID) {
      const atGateway = tables.multicastItems.filter((item) => item.gatewayID === gatewayID);
      const lastFirst = atGateway.sort((a, b) => b.fCnt - a.fCnt);
      return structuredClone([...new Map(lastFirst.map((item) => [item.groupID, item])).values()]);
    },
  };
}

function isSameNonce(a: DevNonceUse, b: DevNonceUse): boolean {
  return a.devEUI === b.devEUI && a.joinEUI === b.joinEUI && a.joinType === b.joinType && a.devNonce === b.devNonce;
}

function isAt(item: MulticastItemID, { groupID, fCnt, gatewayID }: MulticastItemID): boolean {
  return item.groupID === groupID && item.fCnt === fCnt && item.gatewayID === gatewayID;
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function isAllowed(tables: Tables, write: Write): boolean {
  switch (write.kind) {
    case 'saveSession': {
      const { id, revision } = write.session;
      return [...tables.sessions.values()].some((stored) => stored.id === id && stored.revision === revision);
    }
    case 'saveActivation':
      return !tables.activations.some((activation) => isSameNonce(activation, write.activation));
    case 'spendMulticastFCnt':
      return (tables.multicastFCnts.get(write.groupID) ?? 0) <= write.fCnt;
    case 'startMulticastCooldowns':
      return write.of.every((id) => !isCooldown(tables.multicastRests.get(id) ?? 0, write));
    case 'updateQueueItem':
      return !write.isGuarded || tables.queue.has(write.item.id);
    case 'deleteQueueItem':
      return !write.unchanged || isDeepStrictEqual(tables.queue.get(write.id), write.unchanged);
    case 'settleDue': {
      const { kind, key, turn } = write.claim;
      return !write.isGuarded || tables.due.get(`${kind}/${key}`)?.turn === turn;
    }
    case 'finish':
      return !write.isGuarded || write.ids.every((id) => tables.journal.has(id));
    default:
      return true;
  }
}

function applyWrite(tables: Tables, write: Write): void {
  switch (write.kind) {
    case 'saveSession':
      saveSession(tables, write.session);
      break;
    case 'insertSession':
      insertSession(tables, write.session);
      break;
    case 'deleteSessions':
      deleteSessions(tables, write.devEUI);
      break;
    case 'insertQueueItem':
      tables.queue.set(write.item.id, write.item);
      break;
    case 'updateQueueItem':
      if (tables.queue.has(write.item.id)) tables.queue.set(write.item.id, write.item);
      break;
    case 'deleteQueueItem':
      tables.queue.delete(write.id);
      break;
    case 'flushQueue':
      flushQueue(tables, write.devEUI);
      break;
    case 'saveActivation':
      tables.activations.push(write.activation);
      break;
    case 'forgetDevNonces': {
      const own = tables.activations.filter(({ devEUI }) => devEUI === write.devEUI);
      const kept = own.slice(Math.max(own.length - write.keep, 0));
      tables.activations = tables.activations.filter((one) => one.devEUI !== write.devEUI || kept.includes(one));
      break;
    }
    case 'finish':
      for (const id of write.ids) tables.journal.delete(id);
      break;
    case 'askDue':
      askDue(tables, write);
      break;
    case 'settleDue':
      settleDue(tables, write.claim, write.next);
      break;
    case 'advanceDue':
      for (const one of tables.due.values()) if (one.at > write.after) one.at = write.to;
      break;
    case 'saveRecord':
      tables.records.set(`${write.of}/${write.id}`, write.value);
      break;
    case 'deleteRecord':
      deleteRecord(tables, write.of, write.id);
      break;
    default:
      applyMulticastWrite(tables, write);
  }
}

function applyMulticastWrite(tables: Tables, write: Extract<Write, { kind: `${string}Multicast${string}` }>): void {
  switch (write.kind) {
    case 'setMulticastFCnt':
      tables.multicastFCnts.set(write.groupID, write.fCnt);
      break;
    case 'spendMulticastFCnt':
      tables.multicastFCnts.set(write.groupID, write.fCnt + 1);
      break;
    case 'addMulticastMember': {
      const members = tables.multicastMembers.get(write.groupID) ?? new Set();
      tables.multicastMembers.set(write.groupID, members.add(write.devEUI));
      break;
    }
    case 'removeMulticastMember':
      tables.multicastMembers.get(write.groupID)?.delete(write.devEUI);
      break;
    case 'insertMulticastItem':
      tables.multicastItems.push(write.item);
      break;
    case 'updateMulticastItem':
      tables.multicastItems = tables.multicastItems.map((one) => (isAt(one, write.item) ? write.item : one));
      break;
    case 'deleteMulticastItem':
      tables.multicastItems = tables.multicastItems.filter((item) => !isAt(item, write.itemID));
      break;
    case 'flushMulticastQueue':
      flushMulticastQueue(tables, write.groupID);
      break;
    case 'startMulticastCooldowns':
      for (const id of write.of) tables.multicastRests.set(id, write.until);
      break;
  }
}

type AskDue = Extract<Write, { kind: 'askDue' }>;

function askDue(tables: Tables, { work: { kind, key }, at, leaseUntil }: AskDue): void {
  const asked = tables.due.get(`${kind}/${key}`);
  const turn = (asked?.turn ?? 0) + 1;
  tables.due.set(`${kind}/${key}`, { kind, key, turn, at: leaseUntil ?? Math.min(asked?.at ?? at, at) });
}

/** The arguments for listeners to due work; null for a write that schedules none. */
function dueNoticeOf(tables: Tables, write: Write): Parameters<Parameters<State['onDue']>[0]> | null {
  if (write.kind === 'settleDue') return write.next === null ? null : [write.next];
  if (write.kind !== 'askDue') return null;
  const { work, at, leaseUntil } = write;
  if (leaseUntil === undefined) return [at];
  return [leaseUntil, { ...work, turn: tables.due.get(`${work.kind}/${work.key}`)!.turn }];
}

function settleDue(tables: Tables, { kind, key, turn }: DueClaim, next: number | null): void {
  const taken = tables.due.get(`${kind}/${key}`);
  if (taken?.turn !== turn) return;
  if (next === null) tables.due.delete(`${kind}/${key}`);
  else taken.at = next;
}

function deleteRecord(tables: Tables, of: RecordKind, id: string): void {
  tables.records.delete(`${of}/${id}`);
  tables.multicastRests.delete(id);
  if (of === 'gateway') tables.records.delete(`gatewaySeen/${id}`);
  if (of === 'multicastGroup') {
    tables.multicastFCnts.delete(id);
    tables.multicastMembers.delete(id);
    flushMulticastQueue(tables, id);
  }
  if (of !== 'device') return;
  for (const members of tables.multicastMembers.values()) members.delete(id);
  deleteSessions(tables, id);
  flushQueue(tables, id);
  tables.activations = tables.activations.filter(({ devEUI }) => devEUI !== id);
}

function deleteSessions(tables: Tables, devEUI: string): void {
  tables.sessions.delete(`${devEUI}/current`);
  tables.sessions.delete(`${devEUI}/pending`);
  tables.sessions.delete(`${devEUI}/replaced`);
}

function saveSession(tables: Tables, session: DeviceSession): void {
  const { devEUI, id, role } = session;
  const [key, stored] = [...tables.sessions].find(([, one]) => one.id === id)!;
  if (stored.role !== role) {
    tables.sessions.delete(key);
    tables.sessions.delete(`${devEUI}/replaced`);
  }
  tables.sessions.set(`${devEUI}/${role}`, { ...session, revision: session.revision + 1 });
}

function insertSession(tables: Tables, session: DeviceSession): void {
  const { devEUI, role } = session;
  const pending = tables.sessions.get(`${devEUI}/pending`);
  tables.sessions.delete(`${devEUI}/replaced`);
  if (role === 'current') tables.sessions.delete(`${devEUI}/pending`);
  else if (pending) tables.sessions.set(`${devEUI}/replaced`, { ...pending, role: 'replaced' });
  tables.sessions.set(`${devEUI}/${role}`, session);
}

function flushQueue(tables: Tables, devEUI: string): void {
  for (const [id, item] of tables.queue) if (item.devEUI === devEUI) tables.queue.delete(id);
}

function flushMulticastQueue(tables: Tables, groupID: string): void {
  tables.multicastItems = tables.multicastItems.filter((item) => item.groupID !== groupID);
}
