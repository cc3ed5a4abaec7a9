import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { file, type SettingsOf, url, wholeNumber } from './setting-schemas.ts';

/** The storage of a server, and what it shares with other instances on its database. */
export const storageSettings = {
  data: z
    .string()
    .min(1, 'must name a directory')
    .default('./data')
    .meta({ help: 'directory of the embedded database and the keys' }),
  databaseURL: url(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/hilltop')
    .default('')
    .meta({ help: 'URL of a PostgreSQL database, used instead of the embedded one', secret: true }),
  redisURL: url(/^rediss?:/, 'must be a URL such as redis://user:password@localhost:6379')
    .default('')
    .meta({ help: 'URL of Redis or Valkey, for several instances on one PostgreSQL', secret: true }),
  instanceName: z
    .string()
    .max(100, 'must have at most 100 characters')
    .default('')
    .meta({ help: 'name of this instance in the console', usual: 'name of the host' }),
  threads: wholeNumber(1, 64)
    .default(() => Math.max(1, availableParallelism() - 1))
    .meta({
      help: 'threads for uplinks; from 2 on, one of them writes to the embedded database',
      usual: 'number of cores - 1',
    }),
  encryptionKeyFile: file('file of the key that encrypts secrets; empty: encryption.key in HILLTOP_DATA'),
  tokenKeyFile: file('file of the key that signs tokens; empty: token.key in HILLTOP_DATA'),
};
export type StorageSettings = SettingsOf<typeof storageSettings>;
