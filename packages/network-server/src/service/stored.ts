import { RpcError } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import type { RecordKind, Records } from '../state/records.ts';
import { notFound } from './identifiers.ts';

type Content<K extends RecordKind> = Omit<Records[K], 'createdAt' | 'updatedAt'>;

/** Creates, reads, changes and deletes records of one kind; `name` is what error messages call it. */
export function storedRecords<K extends Exclude<RecordKind, 'gatewaySeen'>>(network: Network, of: K, name: string) {
  const { state, clock } = network;

  async function save(id: string, content: Content<K>, createdAt: number): Promise<void> {
    const value = { ...content, createdAt, updatedAt: clock.now().getTime() } as unknown as Records[K];
    await state.commit({ writes: [{ kind: 'saveRecord', of, id, value } as never], effects: [] });
  }

  async function find(id: string): Promise<Records[K]> {
    const found = await state.get(of, id);
    if (!found) throw notFound(name);
    return found;
  }

  return {
    find,
    async create(id: string, content: Content<K>): Promise<void> {
      if (await state.get(of, id)) throw new RpcError('AlreadyExists', `This ${name} exists already.`);
      await save(id, content, clock.now().getTime());
    },
    async update(id: string, content: Content<K>): Promise<void> {
      await save(id, content, (await find(id)).createdAt);
    },
    async remove(id: string): Promise<void> {
      await find(id);
      await state.commit({ writes: [{ kind: 'deleteRecord', of, id }], effects: [] });
    },
  };
}

export function timesOf({ createdAt, updatedAt }: { createdAt: number; updatedAt: number }) {
  return { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}
