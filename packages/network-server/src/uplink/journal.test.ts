import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { defaultSettings } from '../settings/settings.ts';
import { LocalJournal } from './journal.ts';

const frames = (count: number) => Array.from({ length: count }, () => create(gw.UplinkFrame));

function createJournal() {
  const counts = new Map<string, number>();
  const finished: number[] = [];
  const control = { isFailing: false, failures: 0 };
  let lastID = 0;
  const state = {
    async receive(copies: string[]) {
      if (control.isFailing) throw new Error('The storage fails.');
      return copies.map(() => (lastID += 1));
    },
    async commit({ writes }: { writes: { ids: number[] }[] }) {
      if (control.failures > 0) {
        control.failures -= 1;
        throw new Error('The storage fails.');
      }
      for (const { ids } of writes) finished.push(...ids);
      return true;
    },
  };
  const count = (name: string, _labels: unknown, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);
  const settings = { ...defaultSettings, maxUnprocessedCopies: 3 };
  const network = { state, count, settings } as unknown as Network;
  const journal = new LocalJournal(network, { judge: async () => 'storage' });
  return { journal, counts, finished, control };
}

describe('the journal', () => {
  it('refuses copies beyond the limit of unfinished ones', async () => {
    const { journal, counts } = createJournal();
    const stored = await journal.store(frames(2));
    await assert.rejects(journal.store(frames(2)), /Too many uplinks/);
    assert.equal(counts.get('uplinks_shed'), 2);
    journal.release(stored.map(({ id }) => id));
    assert.equal((await journal.store(frames(3))).length, 3);
  });

  it('does not count copies that storage refused', async () => {
    const { journal, control } = createJournal();
    control.isFailing = true;
    await assert.rejects(journal.store(frames(3)));
    assert.equal(journal.unfinished(), 0);
  });

  it('retries to finish copies while storage fails', async () => {
    const { journal, control, finished } = createJournal();
    const stored = await journal.store(frames(1));
    control.failures = 2;
    await journal.finish(stored.map(({ id }) => id));
    assert.deepEqual(finished, [1]);
    assert.equal(journal.unfinished(), 0);
  });
});
