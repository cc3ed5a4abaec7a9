import type { Region } from '@hilltop/lorawan';
import { createKeyEnvelopes } from '../key-envelopes.ts';
import type { ImportedNetwork, ImportPass } from './migrate/import-pass.ts';
import { radioOf, regionOfFile } from './migrate/radio.ts';
import type { ReportBook } from './report/report.ts';
import { importSettings, reportNetworkServerSettings, reportUnread } from './settings.ts';
import { builtIn } from './source/built-in-settings.ts';
import { openSource, type SourceDatabase, UnreadableSource } from './source/postgres.ts';
import { openRedis, type SourceRedis } from './source/redis.ts';
import { applicationServerSchema, networkServerSchema } from './source/schema.ts';
import { keksOf, redisAddressOf, type SettingsFile } from './source/settings-file.ts';
import { operatorAccess } from './source/source-access.ts';

/** The opened sources. `opened` is undefined when a finding stops the import. */
export interface Sources extends AsyncDisposable {
  opened:
    | (Pick<
        ImportPass,
        'file' | 'database' | 'redis' | 'networks' | 'applicationServerID' | 'keyEnvelopes' | 'passwords'
      > & {
        tokenKey: Uint8Array;
      })
    | undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Secrets in guides and files of version 3, which are publicly known. */
const publishedSecrets = new Set(['verysecret', '']);

/** The state while sources are opened. Disposing of `stack` closes everything that was opened. */
interface Opening {
  stack: AsyncDisposableStack;
  report: ReportBook;
  reach: typeof operatorAccess;
}

/** Resolves with undefined after a finding that stops the import. */
async function attempt<T>({ report }: Opening, what: string, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    report.find('stops', what, error.message);
    return undefined;
  }
}

/** Reads the settings files and opens the databases they name. Reports all problems at once. */
export async function openSources(
  { config, networkServerConfigs }: { config: string; networkServerConfigs: readonly string[] },
  report: ReportBook,
  reach = operatorAccess,
): Promise<Sources> {
  await using stack = new AsyncDisposableStack();
  const opening: Opening = { stack, report, reach };
  const applicationServer = await openApplicationServer(opening, config);
  const networks: ImportedNetwork[] = [];
  for (const path of networkServerConfigs) {
    const network = await openNetworkServer(opening, path);
    if (network) networks.push(network);
  }
  const { file, database, redis, applicationServerID } = applicationServer;
  const networksByID = database && (await matchNetworks(database, networks, report));
  const keks = file && (await attempt(opening, what, () => keksOf(file, (label) => reportBrokenKEK(report, label))));
  const tokenKey =
    file && (await attempt(opening, what, () => file.text('application_server.external_api.jwt_secret')));
  if (tokenKey !== undefined && publishedSecrets.has(tokenKey))
    report.find(
      'security',
      'API keys',
      'jwt_secret is publicly known: anybody who knows the id of an API key can create its token. Create new keys after the import and delete these',
    );
  // After everything that reads settings of the files.
  for (const one of [file, ...networks.map((network) => network.file)]) if (one) reportUnread(one, report);
  const open = stack.move();
  const isComplete = file && database && redis && networksByID && keks && tokenKey !== undefined && !report.isStopped();
  return {
    opened: isComplete
      ? {
          file,
          database,
          redis,
          networks: networksByID,
          applicationServerID,
          keyEnvelopes: createKeyEnvelopes(keks),
          tokenKey: new TextEncoder().encode(tokenKey),
          passwords: new Map(),
        }
      : undefined,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const what = 'application server';

interface OpenedApplicationServer {
  file: SettingsFile | undefined;
  database: SourceDatabase | undefined;
  redis: SourceRedis | undefined;
  applicationServerID: string;
}

async function openApplicationServer(opening: Opening, path: string): Promise<OpenedApplicationServer> {
  const { stack, report, reach } = opening;
  const file = await attempt(opening, what, () => reach.settingsFile(path));
  if (!file) return { file, database: undefined, redis: undefined, applicationServerID: '' };
  const database = await attempt(opening, what, async () => {
    const dsn = file.text('postgresql.dsn', builtIn.applicationServerDSN);
    return stack.use(await openSource(dsn, applicationServerSchema, reach.addressOf));
  });
  const redis = await attempt(opening, what, async () =>
    stack.use(await openRedis(redisAddressOf(file), what, reach.addressOf)),
  );
  if (database) report.source({ what, where: database.where, version: `schema ${applicationServerSchema.version}` });
  const applicationServerID = (await attempt(opening, what, () => applicationServerIDOf(file, report))) ?? '';
  if (!uuid.test(applicationServerID))
    report.find(
      'stops',
      what,
      'application_server.id is not a UUID: it is the name by which network servers know this server',
      file.path,
    );
  await attempt(opening, what, () => importSettings(file, report));
  return { file, database, redis, applicationServerID };
}

async function openNetworkServer(opening: Opening, path: string): Promise<ImportedNetwork | undefined> {
  const { stack, report, reach } = opening;
  const ofNetwork = `network server of ${path}`;
  const file = await attempt(opening, ofNetwork, () => reach.settingsFile(path));
  if (!file) return undefined;
  const region = await attempt(opening, ofNetwork, () => regionOfFile(file));
  if (region) await attempt(opening, ofNetwork, () => checkRadio(report, file, region));
  await attempt(opening, ofNetwork, () => reportNetworkServerSettings(file, report));
  const database = await attempt(opening, ofNetwork, async () => {
    const dsn = file.text('postgresql.dsn', builtIn.networkServerDSN);
    return stack.use(await openSource(dsn, networkServerSchema, reach.addressOf));
  });
  const redis = await attempt(opening, ofNetwork, async () =>
    stack.use(await openRedis(redisAddressOf(file), ofNetwork, reach.addressOf)),
  );
  if (!database || !redis || !region) return undefined;
  const version = `schema ${networkServerSchema.version}`;
  report.source({ what: `network server ${region.name}`, where: database.where, version });
  return { file, database, redis, region };
}

function reportBrokenKEK(report: ReportBook, label: string): void {
  report.find(
    'notice',
    'settings',
    `the key-encryption key "${label.slice(0, 50)}" of join_server.kek.set is not 32, 48 or 64 hexadecimal digits: it is not imported`,
  );
}

function checkRadio(report: ReportBook, file: SettingsFile, region: Region): void {
  for (const { field, description } of radioOf(file, region).problems)
    report.find('stops', 'radio settings', `${field} of ${file.path} is invalid: ${description}`);
}

/** The id by which network servers know the application server. */
function applicationServerIDOf(file: SettingsFile, report: ReportBook): string {
  const id = file.text('application_server.id');
  if (id !== '') return id.toLowerCase();
  report.find(
    'notice',
    'application server',
    `application_server.id is not set, so it has the default of version 3: ${builtIn.applicationServerID}`,
    file.path,
  );
  return builtIn.applicationServerID;
}

/** Network servers by the id of their row at the application server. A shared service-profile identifies the row. */
async function matchNetworks(
  database: SourceDatabase,
  networks: readonly ImportedNetwork[],
  report: ReportBook,
): Promise<ReadonlyMap<number, ImportedNetwork>> {
  const networksByID = new Map<number, ImportedNetwork>();
  const profiles: { id: string; networkServerID: number }[] = [];
  for await (const rows of database.rows('service_profile'))
    for (const row of rows)
      profiles.push({ id: String(row['service_profile_id']), networkServerID: Number(row['network_server_id']) });
  const ids: number[] = [];
  for await (const rows of database.rows('network_server')) ids.push(...rows.map(({ id }) => Number(id)));
  for (const network of networks) {
    const known = new Set<string>();
    for await (const rows of network.database.rows('service_profile'))
      for (const row of rows) known.add(String(row['service_profile_id']));
    const shared = profiles.filter(({ id }) => known.has(id)).map(({ networkServerID }) => networkServerID);
    const [found, ...others] = new Set(shared.length > 0 || ids.length > 1 ? shared : ids);
    if (found === undefined)
      report.find(
        'stops',
        'network-servers',
        'its database shares no service-profile with any network-server of the application server: the file is of another installation',
        network.file.path,
      );
    else if (others.length > 0 || networksByID.has(found))
      report.find(
        'stops',
        'network-servers',
        'two network-servers of the application server have one database, or two files name one network-server: omit one of them',
        network.file.path,
      );
    else networksByID.set(found, network);
  }
  return networksByID;
}
