import { after, before, describe } from 'node:test';
import { describeJoins } from '@hilltop/network-server/joins-model';
import { describeKills } from '@hilltop/network-server/kills';
import { systemClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { ServerEffect } from '../events/effect.ts';
import { createSecrets } from '../secrets.ts';
import { createTestDatabase, databasesAndThreads } from '../testing/databases.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });
/** With the state in memory, the test ends at every write; a run on a disk takes a tenth of a second and more. */
const every = { sqlite: 5, postgres: 16 };
/** A run on a disk takes ten seconds. */
const seedsOfJoins = [1];

for (const { name, kind, threads } of databasesAndThreads) {
  describe(`the network server on ${name}`, () => {
    let database: Database & AsyncDisposable;
    let runs = 0;
    before(async () => {
      database = await createTestDatabase(kind, undefined, undefined, threads);
    });
    after(() => database[Symbol.asyncDispose]());

    const stateOfRun = () => {
      const networkServerID = (runs += 1);
      return (apply: (effect: { about: string }) => void) => {
        const state = createNetworkState({ database, secrets, clock: systemClock }, networkServerID);
        const written = (effect: { about: string }): ServerEffect => ({
          ...effect,
          write: async () => database.afterCommit(() => apply(effect)),
          prepare: () => ({ statements: [], onWritten: () => apply(effect) }),
        });
        return {
          ...state,
          commit: ({ writes, effects }: Parameters<typeof state.commit>[0]) =>
            state.commit({ writes, effects: effects.map(written) }),
        };
      };
    };
    describeKills(`state on ${name}`, stateOfRun, { every: every[kind] });
    describeJoins(`state on ${name}`, stateOfRun, seedsOfJoins);
  });
}
