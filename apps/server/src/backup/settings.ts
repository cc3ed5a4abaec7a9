import { duration, file, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const backupSettings = {
  backupDir: file('directory in which the server writes backups; empty: it writes none'),
  backupEvery: duration({ least: '1h', most: '30d', usual: '24h' }, 'time between two backups'),
  backupKeep: wholeNumber(1, 365).default(7).meta({ help: 'number of scheduled backups that are stored, the newest' }),
};
export type BackupScheduleSettings = SettingsOf<typeof backupSettings>;
