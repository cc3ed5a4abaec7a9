import { type Config, settings } from '../config.ts';
import type { TestStorage } from './databases.ts';

/** Settings of a server on free ports of 127.0.0.1 with this database and data directory. Only REST and Semtech UDP listen. */
export const testSettings = (
  { dataDir, databaseURL }: Pick<TestStorage, 'dataDir' | 'databaseURL'>,
  more: Readonly<Record<string, string>> = {},
): Config =>
  settings.parse({
    http: '127.0.0.1:0',
    udp: '127.0.0.1:0',
    basicsStation: '',
    grpc: '',
    mqtt: '',
    mqtts: '',
    data: dataDir,
    databaseURL,
    deviceLibraryURL: '',
    logLevel: 'silent',
    ...more,
  });
