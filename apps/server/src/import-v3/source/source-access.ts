import type { AddressOf } from './named-server.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';

/** The source of settings files, and the servers that they may name. */
export interface SourceAccess {
  /** Reads the file of this name. Throws UnreadableSource. */
  settingsFile: (name: string) => SettingsFile | Promise<SettingsFile>;
  addressOf: AddressOf;
}

/** For an operator at this machine: its files, and any server. */
export const operatorAccess: SourceAccess = { settingsFile: readSettingsFile, addressOf: ({ host }) => host };
