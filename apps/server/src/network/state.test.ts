import { describeState } from '@hilltop/network-server/state-conformance';
import { systemClock } from '../clock.ts';
import type { ServerEffect } from '../events/effect.ts';
import { createSecrets } from '../secrets.ts';
import { createTestDatabase, databasesAndThreads } from '../testing/databases.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });

for (const { name, kind, threads } of databasesAndThreads) {
  describeState(`network state on ${name}`, async () => {
    const database = await createTestDatabase(kind, undefined, undefined, threads);
    let counted = 0;
    return {
      state: createNetworkState({ database, secrets, clock: systemClock }, 1),
      effect: () => {
        const subject = `test ${(counted += 1)}`;
        const effect: ServerEffect = {
          about: 'a test',
          write: async () => {
            await database.query.insertInto('metric_fact').values({ subject, at: 0, counters: '{}' }).execute();
          },
        };
        const stored = () => database.query.selectFrom('metric_fact').where('subject', '=', subject).selectAll();
        return { effect, happened: async () => (await stored().execute()).length === 1 };
      },
      reopen: () => Promise.resolve(createNetworkState({ database, secrets, clock: systemClock }, 1)),
      close: async () => database[Symbol.asyncDispose](),
    };
  });
}
