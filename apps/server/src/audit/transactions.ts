import { AsyncLocalStorage } from 'node:async_hooks';
import type { Message } from '@hilltop/contract';
import type { Database } from '../database/database.ts';

/** What an entry says of a device. */
export interface AuditedDevice {
  devEUI: string;
  organizationID: number;
  name: string;
}

/** A call that changes something, while its handler runs. */
export interface AuditedCall {
  /** Called at the beginning of its transaction. It may run again. */
  begin: () => Promise<void>;
  /** Writes the entry at the end of the transaction; false: the subject is not known yet. */
  write: () => Promise<boolean>;
  /** Names a row that the transaction is about: the subject, if it is of the expected kind. */
  isAbout: (table: string, id: string) => void;
  /** A device that the transaction has read: the subject, if it is this one. */
  setDevice: (device: AuditedDevice) => void;
  /** The record before the change, where no operation reads it. */
  setBefore: (message: Message, values: Readonly<Record<string, unknown>>) => void;
  /** The call changes nothing: it has no entry. */
  setUnchanged: () => void;
}

interface Frame {
  call: AuditedCall;
  state: 'open' | 'writing' | 'written' | 'over';
}

const frames = new AsyncLocalStorage<Frame>();

/** Runs the handler of a call. `isWritten` says whether the entry was written in the transaction of the change. */
export async function withAudit<T>(
  call: AuditedCall,
  handle: () => Promise<T>,
): Promise<{ isWritten: boolean; result: T } | { isWritten: boolean; error: unknown }> {
  const frame: Frame = { call, state: 'open' };
  const isWritten = () => frame.state === 'written';
  try {
    const result = await frames.run(frame, handle);
    return { isWritten: isWritten(), result };
  } catch (error) {
    return { isWritten: isWritten(), error };
  } finally {
    // Work that outlives the call is not part of it.
    if (frame.state === 'open') frame.state = 'over';
  }
}

/** Names the subject of a call whose response has its id: call it in the transaction, with the table of the record. */
export function auditSubjectRow(table: string, id: string | number): void {
  frames.getStore()?.call.isAbout(table, String(id));
}

/** Names a device that the transaction has read, so that its entry needs no query: call it in the transaction. */
export function auditDevice(device: AuditedDevice): void {
  frames.getStore()?.call.setDevice(device);
}

/** Says what the record was before the change: call it in the transaction, where no operation reads the record. */
export function auditBefore(message: Message, values: Readonly<Record<string, unknown>>): void {
  frames.getStore()?.call.setBefore(message, values);
}

/** Says that the call repeats one that was answered, and changes nothing: call it in the transaction. */
export function auditUnchanged(): void {
  frames.getStore()?.call.setUnchanged();
}

/**
 * The same database, which writes the entry of the current call into the first transaction that it commits: an answered
 * change is in the audit log, and what cannot be written there is not made.
 */
export function audited(database: Database): Database {
  function inFrame<T>(transaction: Database['transaction'], work: () => Promise<T>): Promise<T> {
    const frame = frames.getStore();
    if (frame?.state !== 'open' || database.transactionKey !== undefined) return transaction(work);
    return writeIn(frame, transaction, work);
  }

  async function writeIn<T>(frame: Frame, transaction: Database['transaction'], work: () => Promise<T>): Promise<T> {
    let isWritten = false;
    frame.state = 'writing';
    try {
      return await transaction(async () => {
        await frame.call.begin();
        const result = await work();
        isWritten = await frame.call.write();
        return result;
      });
    } catch (error) {
      isWritten = false;
      throw error;
    } finally {
      frame.state = isWritten ? 'written' : 'open';
    }
  }

  const commit = (write: () => Promise<boolean>) => {
    const gaveUp = Symbol('gave up');
    if (frames.getStore()?.state !== 'open' || database.transactionKey !== undefined) return write();
    const whole = async () => {
      if (!(await write())) throw gaveUp;
      return true;
    };
    return inFrame(database.transaction, whole).catch((error: unknown) => {
      if (error === gaveUp) return false;
      throw error;
    });
  };
  type Transaction = Database['transaction'];
  const transaction: Transaction = (work) => inFrame(database.transaction, work);
  const repeatableTransaction: Transaction = (work) => inFrame(database.repeatableTransaction, work);
  const sharedTransaction: Transaction = (work) => inFrame(database.sharedTransaction, work);
  return Object.create(database, {
    transaction: { value: transaction },
    repeatableTransaction: { value: repeatableTransaction },
    sharedTransaction: { value: sharedTransaction },
    commit: { value: (...args: Parameters<Database['commit']>) => commit(() => database.commit(...args)) },
    commitSeparately: {
      value: (...args: Parameters<Database['commitSeparately']>) => commit(() => database.commitSeparately(...args)),
    },
  }) as Database;
}
