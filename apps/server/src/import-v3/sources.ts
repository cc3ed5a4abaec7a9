import type { Region } from '@hilltop/lorawan';
import { createKeyEnvelopes } from '../key-envelopes.ts';
import type { ImportedNetwork, ImportPass } from './migrate/import-pass.ts';
import { radioOf, regionOfFile } from './migrate/radio.ts';
import type { ReportBook } from './report/report.ts';
import { importSettings, reportNetworkServerSettings, reportUnread } from './settings.ts';
import { builtIn } from './source/built-in-settings.ts';
import { openSource, type SourceDatabase, UnreadableSource } from './source/postgres.ts';
import { ofOperator } from './source/reach.ts';
import { openRedis } from './source/redis.ts';
import { applicationServerSchema, networkServerSchema } from './source/schema.ts';
import { keksOf, redisPlaceOf, type SettingsFile } from './source/settings-file.ts';

/** What was opened; nothing when a finding stops the move. */
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
/** Of guides and files that come with version 3: everybody knows them. */
const publishedSecrets = new Set(['verysecret', '']);

/** Reads the files and opens what they name. All that is wrong is found at once, each a line of the report. */
export async function openSources(
  { config, networkServerConfigs }: { config: string; networkServerConfigs: readonly string[] },
  report: ReportBook,
  { settingsFile, addressOf } = ofOperator,
): Promise<Sources> {
  await using stack = new AsyncDisposableStack();

  /** Undefined after a finding that stops the move. */
  async function attempt<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error;
      report.find('stops', what, error.message);
      return undefined;
    }
  }

  const what = 'application server';
  const file = await attempt(what, () => settingsFile(config));
  const database =
    file &&
    (await attempt(what, async () =>
      stack.use(
        await openSource(file.text('postgresql.dsn', builtIn.applicationServerDSN), applicationServerSchema, addressOf),
      ),
    ));
  const redis =
    file && (await attempt(what, async () => stack.use(await openRedis(redisPlaceOf(file), what, addressOf))));
  if (database && file)
    report.source({ what, where: database.where, version: `schema ${applicationServerSchema.version}` });
  const applicationServerID = (file && (await attempt(what, () => applicationServerIDOf(file, report)))) ?? '';
  if (file && !uuid.test(applicationServerID))
    report.find(
      'stops',
      what,
      'application_server.id is not a UUID: it is the name by which network servers know this server',
      file.path,
    );
  if (file) await attempt(what, () => importSettings(file, report));

  const networks: ImportedNetwork[] = [];
  for (const path of networkServerConfigs) {
    const network = await openNetwork(path);
    if (network) networks.push(network);
  }
  const placed = database && (await placeNetworks(database, networks, report));
  const keks = file && (await attempt(what, () => keksOf(file, nameBrokenKEK)));
  const tokenKey = file && (await attempt(what, () => file.text('application_server.external_api.jwt_secret')));
  if (tokenKey !== undefined && publishedSecrets.has(tokenKey))
    report.find(
      'security',
      'API keys',
      'jwt_secret is one that everybody knows: anybody can make tokens of API keys whose ids they know. Make new keys after the move and delete these',
    );
  // All that is read of the files has been by now.
  for (const one of [file, ...networks.map((network) => network.file)]) if (one) reportUnread(one, report);
  const kept = stack.move();
  const isComplete = file && database && redis && placed && keks && tokenKey !== undefined && !report.isStopped();
  return {
    opened: isComplete
      ? {
          file,
          database,
          redis,
          networks: placed,
          applicationServerID,
          keyEnvelopes: createKeyEnvelopes(keks),
          tokenKey: new TextEncoder().encode(tokenKey),
          passwords: new Map(),
        }
      : undefined,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };

  function nameBrokenKEK(label: string): void {
    report.find(
      'notice',
      'settings',
      `the key-encryption key "${label.slice(0, 50)}" of join_server.kek.set is not 32, 48 or 64 hexadecimal digits: it is left out`,
    );
  }

  async function openNetwork(path: string): Promise<ImportedNetwork | undefined> {
    const ofNetwork = `network server of ${path}`;
    const settings = await attempt(ofNetwork, () => settingsFile(path));
    if (!settings) return undefined;
    const region = await attempt(ofNetwork, () => regionOfFile(settings));
    if (region) await attempt(ofNetwork, () => checkRadio(settings, region));
    await attempt(ofNetwork, () => reportNetworkServerSettings(settings, report));
    const source = await attempt(ofNetwork, async () =>
      stack.use(
        await openSource(settings.text('postgresql.dsn', builtIn.networkServerDSN), networkServerSchema, addressOf),
      ),
    );
    const sessions = await attempt(ofNetwork, async () =>
      stack.use(await openRedis(redisPlaceOf(settings), ofNetwork, addressOf)),
    );
    if (!source || !sessions || !region) return undefined;
    report.source({
      what: `network server ${region.name}`,
      where: source.where,
      version: `schema ${networkServerSchema.version}`,
    });
    return { file: settings, database: source, redis: sessions, region };
  }

  function checkRadio(settings: SettingsFile, region: Region): void {
    for (const { field, description } of radioOf(settings, region).problems)
      report.find('stops', 'radio settings', `${field} of ${settings.path} cannot work here: ${description}`);
  }
}

/** By this id network servers know the application server. */
function applicationServerIDOf(file: SettingsFile, report: ReportBook): string {
  const id = file.text('application_server.id');
  if (id !== '') return id.toLowerCase();
  report.find(
    'notice',
    'application server',
    `application_server.id is not set, so it has the id that version 3 has built in: ${builtIn.applicationServerID}`,
    file.path,
  );
  return builtIn.applicationServerID;
}

/** Finds out which row of the application server each network server is, by the profiles that both have. */
async function placeNetworks(
  database: SourceDatabase,
  networks: readonly ImportedNetwork[],
  report: ReportBook,
): Promise<ReadonlyMap<number, ImportedNetwork>> {
  const places = new Map<number, ImportedNetwork>();
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
        'its database shares no service-profile with any network-server of the application server: another one is meant',
        network.file.path,
      );
    else if (others.length > 0 || places.has(found))
      report.find(
        'stops',
        'network-servers',
        'two network-servers of the application server lead to one, or two files to one network-server: leave one of them out',
        network.file.path,
      );
    else places.set(found, network);
  }
  return places;
}
