import { importV3LongestFile } from '@hilltop/contract/import-v3-words';

/** The configuration of one server of version 3. */
export interface SettingsFile {
  name: string;
  text: string;
  /** Environment variables, which override the file. */
  environment: string;
  /** Why the file cannot be used. */
  problem?: string;
}

export interface SettingsFiles {
  applicationServer: SettingsFile | undefined;
  networkServers: readonly SettingsFile[];
}

export const noFiles: SettingsFiles = { applicationServer: undefined, networkServers: [] };

const isEnvironment = (name: string) => /\.env$|^env/i.test(name);

/** Reads a selected file; lines of environment variables are recognised. Large files are not read. */
export async function readSettings(file: Pick<File, 'name' | 'size' | 'text'>): Promise<SettingsFile> {
  const { name, size } = file;
  const nothing = { name, text: '', environment: '' };
  if (size > importV3LongestFile) return { ...nothing, problem: 'The file is too large to be a configuration file.' };
  const text = await file.text();
  // Invalid UTF-8 becomes the replacement character.
  if (/[\0\uFFFD]/.test(text)) return { ...nothing, problem: 'This is no text file.' };
  if (text.trim() === '') return { ...nothing, problem: 'This file is empty.' };
  return isEnvironment(name) ? { ...nothing, environment: text } : { ...nothing, text };
}

/** The remark beside a file, if any. */
export function problemOf(
  { applicationServer, networkServers }: SettingsFiles,
  file: SettingsFile,
): string | undefined {
  const all = [applicationServer, ...networkServers];
  const first = all.find((one) => one?.name === file.name);
  return file.problem ?? (first === file ? undefined : 'Two files have this name. Rename one of them.');
}

const shell = (name: string) => (/^[\w.+,-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

/** The argument of the command: `as.toml`, with an environment `as.toml,as.env`, an environment alone `,as.env`. */
function argumentOf({ name, text, environment }: SettingsFile): string {
  if (environment.trim() === '') return shell(name);
  if (text === '') return shell(`,${name}`);
  return shell(`${name},${environmentFileOf(name)}`);
}

export const environmentFileOf = (name: string): string => `${name.replace(/\.toml$/, '')}.env`;

/** The arguments of the command that runs the import. */
export function importArguments({ applicationServer, networkServers }: SettingsFiles): string {
  const config = applicationServer ? argumentOf(applicationServer) : 'as.toml';
  const others = networkServers.map((one) => ` --ns-config ${argumentOf(one)}`).join('');
  return `--config ${config}${others}`;
}
