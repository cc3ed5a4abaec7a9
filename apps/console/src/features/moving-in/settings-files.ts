import { importV3LongestFile } from '@hilltop/contract/import-v3-words';

/** What one server of version 3 was set up with. */
export interface SettingsFile {
  name: string;
  text: string;
  /** Lines that go before the file. */
  environment: string;
  /** Why it cannot be asked about. */
  problem?: string;
}

export interface SettingsFiles {
  applicationServer: SettingsFile | undefined;
  networkServers: readonly SettingsFile[];
}

export const noFiles: SettingsFiles = { applicationServer: undefined, networkServers: [] };

const isEnvironment = (name: string) => /\.env$|^env/i.test(name);

/** Reads what somebody chose; lines of an environment are taken for one. Anything large is not read at all. */
export async function readSettings(file: Pick<File, 'name' | 'size' | 'text'>): Promise<SettingsFile> {
  const { name, size } = file;
  const nothing = { name, text: '', environment: '' };
  if (size > importV3LongestFile) return { ...nothing, problem: 'This is too large to be a settings file.' };
  const text = await file.text();
  // What is no UTF-8 becomes the sign for that.
  if (/[\0\uFFFD]/.test(text)) return { ...nothing, problem: 'This is no text file.' };
  if (text.trim() === '') return { ...nothing, problem: 'This file is empty.' };
  return isEnvironment(name) ? { ...nothing, environment: text } : { ...nothing, text };
}

/** The sentence beside a file, if any. */
export function problemOf(
  { applicationServer, networkServers }: SettingsFiles,
  file: SettingsFile,
): string | undefined {
  const all = [applicationServer, ...networkServers];
  const first = all.find((one) => one?.name === file.name);
  return file.problem ?? (first === file ? undefined : 'Another file has this name: rename one of them.');
}

const shell = (name: string) => (/^[\w.+,-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

/** As the command is given it: `as.toml`, with lines of an environment `as.toml,as.env`, those alone `,as.env`. */
function argumentOf({ name, text, environment }: SettingsFile): string {
  if (environment.trim() === '') return shell(name);
  if (text === '') return shell(`,${name}`);
  return shell(`${name},${environmentFileOf(name)}`);
}

export const environmentFileOf = (name: string): string => `${name.replace(/\.toml$/, '')}.env`;

/** The command that makes the copy. */
export function commandFor({ applicationServer, networkServers }: SettingsFiles): string {
  const config = applicationServer ? argumentOf(applicationServer) : 'as.toml';
  const others = networkServers.map((one) => ` --ns-config ${argumentOf(one)}`).join('');
  return `npm run import-v3 -- --config ${config}${others}`;
}
