import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { runBlockedContractSteps } from './blocked-contract-steps.ts';
import type { Member } from './cluster.ts';

const member = (version: string): Member => ({ id: version, name: version, version, startedAt: new Date() });

describe('tables and columns that older releases need', () => {
  it('are removed after the last older instance ended, while no instance starts', async () => {
    const ending = new AbortController();
    const looks: (Member[] | 'somebody starts' | 'the database is away')[] = [
      'somebody starts',
      'the database is away',
      [member('0.1.0'), member('0.3.0')],
      [member('0.3.0')],
    ];
    const tried: (readonly string[])[] = [];
    let look: (typeof looks)[number] | undefined;
    const cluster = {
      whileNobodyStarts: async <T>(work: () => Promise<T>): Promise<T | undefined> => {
        look = looks.shift();
        return look === 'somebody starts' ? undefined : work();
      },
      members: async () => {
        if (typeof look !== 'object') throw new Error('The database is away.');
        return look;
      },
    };
    const migrate = async (versions: readonly string[]) => {
      tried.push(versions);
      if (versions.includes('0.1.0')) return ['0101-no-note'];
      setImmediate(() => ending.abort());
      return [];
    };
    await runBlockedContractSteps({ cluster, log: pino({ level: 'silent' }), migrate, everyMs: 1 }, ending.signal);
    assert.deepEqual(tried, [['0.1.0', '0.3.0'], ['0.3.0']]);
    assert.deepEqual(looks, []);
  });
});
