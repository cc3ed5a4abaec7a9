import type { AddressOf } from './named-server.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';

/** Where settings files come from, and to which servers they may lead. */
export interface Reach {
  /** By how the file is called. Throws UnreadableSource. */
  settingsFile: (nameInReport: string) => SettingsFile | Promise<SettingsFile>;
  addressOf: AddressOf;
}

/** Of a person at this machine: files of it, and servers as they are named. */
export const ofOperator: Reach = { settingsFile: readSettingsFile, addressOf: ({ host }) => host };
