import type { Effect } from '../application-server.ts';
import type { DueClaim, DueWork } from './due.ts';
import type { RecordKind, Records } from './records.ts';
import type { DeviceSession } from './session.ts';
import type { DevNonceUse, JournalID, QueueItem, State, Unit, Write } from './state.ts';

interface Tables {
  records: Map<string, Records[RecordKind]>;
  /** By device and role. */
  sessions: Map<string, DeviceSession>;
  queue: Map<string, QueueItem>;
  activations: (DevNonceUse & { devAddr: string; at: number })[];
  journal: Map<JournalID, string>;
  /** By kind and key. */
  due: Map<string, DueClaim & { at: number }>;
}

/** A state that forgets everything with the process: for tests and as the plainest reading of the interface. */
export function createInMemoryState({ apply }: { apply: (effect: Effect) => void }): State {
  const tables: Tables = {
    records: new Map(),
    sessions: new Map(),
    queue: new Map(),
    activations: [],
    journal: new Map(),
    due: new Map(),
  };
  const dueListeners: ((at: number) => void)[] = [];
  let lastJournalID = 0;
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
      return structuredClone({ current, pending });
    },
    async sessionsAfter(devEUI, most) {
      const following = [...tables.sessions.values()].filter((one) => one.role === 'current' && one.devEUI > devEUI);
      const inOrder = following.sort((one, other) => (one.devEUI < other.devEUI ? -1 : 1)).slice(0, most);
      return structuredClone(inOrder).map(({ keys: _keys, ...session }) => session);
    },
    async queue(devEUI) {
      return structuredClone(ofDevice(devEUI).sort((a, b) => a.fCnt - b.fCnt));
    },
    async isDevNonceUsed(nonce) {
      return tables.activations.some((activation) => isSameNonce(activation, nonce));
    },
    async receive(copies) {
      return copies.map((copy) => {
        lastJournalID += 1;
        tables.journal.set(lastJournalID, copy);
        return lastJournalID;
      });
    },
    async unfinished(after, most) {
      const left = [...tables.journal].filter(([id]) => id > after);
      return left.slice(0, most).map(([id, copy]) => ({ id, copy }));
    },
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
    onDue(listen) {
      dueListeners.push(listen);
    },
    isStorageFailure: () => false,
    async commit(unit) {
      if (!unit.writes.every((write) => isAllowed(tables, write))) return false;
      write(tables, unit);
      for (const effect of unit.effects) apply(effect);
      for (const at of unit.writes.map(dueBy)) if (at !== null) for (const listen of dueListeners) listen(at);
      return true;
    },
  };
}

function isSameNonce(a: DevNonceUse, b: DevNonceUse): boolean {
  return a.devEUI === b.devEUI && a.joinEUI === b.joinEUI && a.joinType === b.joinType && a.devNonce === b.devNonce;
}

function isAllowed(tables: Tables, write: Write): boolean {
  switch (write.kind) {
    case 'saveSession': {
      const { id, revision } = write.session;
      return [...tables.sessions.values()].some((stored) => stored.id === id && stored.revision === revision);
    }
    case 'saveActivation':
      return !tables.activations.some((activation) => isSameNonce(activation, write.activation));
    default:
      return true;
  }
}

function write(tables: Tables, { writes }: Unit): void {
  for (const write of structuredClone(writes)) {
    switch (write.kind) {
      case 'saveSession':
        for (const [key, stored] of tables.sessions) if (stored.id === write.session.id) tables.sessions.delete(key);
        write.session.revision += 1;
        tables.sessions.set(`${write.session.devEUI}/${write.session.role}`, write.session);
        break;
      case 'insertSession':
        if (write.session.role === 'current') tables.sessions.delete(`${write.session.devEUI}/pending`);
        tables.sessions.set(`${write.session.devEUI}/${write.session.role}`, write.session);
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
        const kept = tables.activations.filter(({ devEUI }) => devEUI === write.devEUI).slice(-write.keep);
        tables.activations = tables.activations.filter((one) => one.devEUI !== write.devEUI || kept.includes(one));
        break;
      }
      case 'finish':
        for (const id of write.ids) tables.journal.delete(id);
        break;
      case 'askDue':
        askDue(tables, write.work, write.at);
        break;
      case 'settleDue':
        settleDue(tables, write.claim, write.next);
        break;
      case 'saveRecord':
        tables.records.set(`${write.of}/${write.id}`, write.value);
        break;
      case 'deleteRecord':
        deleteRecord(tables, write.of, write.id);
        break;
    }
  }
}

function askDue(tables: Tables, { kind, key }: DueWork, at: number): void {
  const asked = tables.due.get(`${kind}/${key}`);
  const turn = (asked?.turn ?? 0) + 1;
  tables.due.set(`${kind}/${key}`, { kind, key, turn, at: Math.min(asked?.at ?? at, at) });
}

function dueBy(write: Write): number | null {
  if (write.kind === 'askDue') return write.at;
  return write.kind === 'settleDue' ? write.next : null;
}

function settleDue(tables: Tables, { kind, key, turn }: DueClaim, next: number | null): void {
  const taken = tables.due.get(`${kind}/${key}`);
  if (taken?.turn !== turn) return;
  if (next === null) tables.due.delete(`${kind}/${key}`);
  else taken.at = next;
}

function deleteRecord(tables: Tables, of: RecordKind, id: string): void {
  tables.records.delete(`${of}/${id}`);
  if (of === 'gateway') tables.records.delete(`gatewaySeen/${id}`);
  if (of !== 'device') return;
  deleteSessions(tables, id);
  flushQueue(tables, id);
  tables.activations = tables.activations.filter(({ devEUI }) => devEUI !== id);
}

function deleteSessions(tables: Tables, devEUI: string): void {
  tables.sessions.delete(`${devEUI}/current`);
  tables.sessions.delete(`${devEUI}/pending`);
}

function flushQueue(tables: Tables, devEUI: string): void {
  for (const [id, item] of tables.queue) if (item.devEUI === devEUI) tables.queue.delete(id);
}
