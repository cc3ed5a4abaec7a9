import { z } from 'zod';
import { file, type SettingsOf, url } from './setting-schemas.ts';

/** Where a server stores its data, and what it shares with the other instances on its database. */
export const storageSettings = {
  data: z
    .string()
    .min(1, 'must name a directory')
    .default('./data')
    .meta({ help: 'directory of the embedded database and the secrets' }),
  databaseURL: url(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/hilltop')
    .default('')
    .meta({ help: 'PostgreSQL instead of the embedded database', secret: true }),
  redisURL: url(/^rediss?:/, 'must be a URL such as redis://user:password@localhost:6379')
    .default('')
    .meta({ help: 'Redis or Valkey, by which several instances on one PostgreSQL work together', secret: true }),
  instanceName: z
    .string()
    .max(100, 'must have at most 100 characters')
    .default('')
    .meta({ help: 'what people call this instance', usual: 'name of the host' }),
  encryptionKeyFile: file('file of the key that secrets are sealed with; without it encryption.key in HILLTOP_DATA'),
  tokenKeyFile: file('file of the key that sign-ins are signed with; without it token.key in HILLTOP_DATA'),
};
export type StorageSettings = SettingsOf<typeof storageSettings>;
