// Checks every import against the dependency rule of ARCHITECTURE.md.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from './imports.ts';

/** The path prefixes that each part may import besides itself. A part that is not listed may import nothing. */
const parts: Readonly<Record<string, readonly string[]>> = {
  'packages/lorawan': [],
  'packages/protobuf': [],
  'packages/contract': ['packages/protobuf'],
  'packages/gateway-protocols': ['packages/protobuf'],
  'packages/simulator': ['packages/lorawan', 'packages/gateway-protocols'],
  'packages/network-server': ['packages/lorawan', 'packages/gateway-protocols', 'packages/protobuf'],
  'apps/server': [
    'packages/lorawan',
    'packages/gateway-protocols',
    'packages/protobuf',
    'packages/contract',
    'packages/network-server',
  ],
  'apps/console': ['packages/contract', 'packages/lorawan/tr005'],
  'apps/docs': ['config', 'environment-name', 'setting-schemas'].map((name) => `apps/server/src/${name}.ts`),
  // Programs that use the product from outside import its public packages and test helpers.
  scripts: ['package.json', 'packages/contract', 'packages/simulator', 'apps/server/src/testing/write-series.ts'],
  e2e: [
    'scripts',
    'packages/contract',
    'packages/simulator',
    'apps/server/src/testing',
    'apps/server/src/device-library/testing',
    'apps/server/src/table-files/testing',
    'apps/server/src/import-v3/testing',
  ],
  bench: [
    'scripts',
    'e2e',
    'packages/contract',
    'packages/simulator',
    'packages/lorawan',
    'packages/gateway-protocols',
    'apps/server/src/testing/certificates.ts',
    ...['databases', 'history-kills', 'redis', 'test-app', 'write-series'].map(
      (name) => `apps/server/src/testing/${name}.ts`,
    ),
    'apps/server/src/import-v3/testing',
    'package.json',
  ],
};
/** Additional imports of tests: the simulator and other clients of the part. */
const inTests: Readonly<Record<string, readonly string[]>> = {
  'packages/network-server': ['packages/simulator'],
  'apps/server': ['packages/simulator'],
  bench: ['apps/server/src/testing'],
};

/**
 * The layers of the network server from the lowest to the highest: a folder may import earlier ones, never later ones.
 * In this order: clocks and queues; stored state; the application server and settings; contents of frames and sessions;
 * gateways; the context of all steps; the steps; the server that starts them. `index.ts` is above all.
 */
const networkServerLayers = [
  'platform',
  'state',
  'settings',
  'ports',
  'radio',
  'session',
  'gateways',
  'network',
  'geolocation',
  'adr',
  'mac',
  'relay',
  'downlink',
  'multicast',
  'uplink',
  'due',
  'service',
  'server',
];

/** The folders of the server, in the same way. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  audit: ['database'],
  alerts: ['database', 'delivery/redact.ts', 'event-log', 'history', 'integrations', 'mail', 'outgoing'],
  backup: ['database', 'event-log', 'history', 'network/session-body.ts'],
  bus: ['event-log/event.ts', 'redis'],
  commands: ['audit', 'config.ts', 'database', 'identity', 'passwords', 'resources'],
  cluster: ['database'],
  connections: [],
  database: [],
  certificates: ['database'],
  delivery: ['bus', 'database', 'event-log', 'events', 'integrations', 'outgoing', 'payload-codecs', 'statistics'],
  'device-library': ['connections/quota.ts'],
  discovery: ['database'],
  'event-log': ['database'],
  events: ['bus', 'database', 'event-log', 'payload-codecs', 'statistics'],
  'gateway-outages': ['database', 'statistics'],
  http: ['audit', 'bus', 'connections', 'database', 'identity'],
  identity: ['bus', 'database', 'redis'],
  'import-v3': [
    'config.ts',
    'database',
    'events/device-context.ts',
    'integrations',
    'network',
    'outgoing',
    'passwords',
    'resources',
    'statistics',
  ],
  conditions: ['database', 'delivery/suspended-from-start.ts', 'statistics/counters.ts'],
  history: ['conditions', 'database', 'event-log'],
  integrations: ['bus', 'certificates', 'database', 'event-log', 'events', 'outgoing'],
  mail: [],
  mqtt: [
    'bus',
    'certificates',
    'cluster',
    'connections',
    'database',
    'event-log',
    'events',
    'identity',
    'integrations',
    'outgoing/delivery-error.ts',
  ],
  network: [
    'bus',
    'cluster',
    'connections',
    'database',
    'discovery',
    'certificates',
    'event-log',
    'events',
    ...['answer', 'gzip', 'messages'].map((name) => `http/grpc/${name}.ts`),
    'http/http2.ts',
    'outgoing',
    'redis',
    'statistics',
  ],
  outgoing: [],
  passwords: [],
  'payload-codecs': [],
  redis: [],
  resources: [
    'alerts',
    'audit',
    'backup',
    'bus/bus.ts',
    'certificates',
    'cluster',
    'connections/network-of.ts',
    'conditions/tables.ts',
    'connections/quota.ts',
    'database',
    'delivery',
    'device-library',
    'discovery',
    'event-log',
    'integrations',
    'mqtt',
    'events',
    'gateway-outages',
    'history',
    'http',
    'identity',
    'import-v3',
    'mail',
    'network',
    'outgoing/delivery-error.ts',
    'outgoing/http.ts',
    'outgoing/own-ports.ts',
    'passwords',
    'payload-codecs',
    'redis',
    'single-sign-on',
    'statistics',
    'table-files',
  ],
  'single-sign-on': [
    'audit',
    'database',
    'http',
    'identity',
    'outgoing',
    'resources/invitation',
    'resources/session',
    'resources/user',
  ],
  statistics: ['database'],
  'table-files': ['connections/quota.ts'],
};
/** A store reads and writes rows; it must not depend on API calls. */
const ofStores = [
  'audit',
  'alerts',
  'conditions/tables.ts',
  'database',
  'device-library/catalogue-types.ts',
  'event-log/event.ts',
  'history/alert-changes.ts',
  'identity/limited-applications.ts',
  'identity/second-factor-required.ts',
  'identity/settings.ts',
  'identity/visibility.ts',
  'integrations/tables.ts',
  'resources',
];
/** Root files that every folder may import. */
const shared = [
  'cidr',
  'clock',
  'data-directory',
  'bare-environment',
  'command-line-of',
  'environment-name',
  'fail-points',
  'fair-queue',
  'file-thread',
  'identifiers',
  'ipv6',
  'key-envelopes',
  'latest-n',
  'line-limit',
  'metrics',
  'node-http',
  'retry-later',
  'pem-file',
  'periodic-rounds',
  'secrets',
  'setting-schemas',
  'thread-priority',
  'throttled',
  'start-error',
  'storage',
  'storage-settings',
  'token-key-of-v3',
  'version',
].map((name) => `${name}.ts`);

const server = 'apps/server/src/';
const networkServer = 'packages/network-server/src/';
const features = 'apps/console/src/features/';
const components = 'apps/console/src/components/';

const isTest = (file: string) => /\.test\.tsx?$|\/testing\/|conformance\.ts$/.test(file);
const isIn = (file: string, places: readonly string[]) =>
  places.some((folder) => file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`));

/** The file or package that an import refers to; undefined for external packages. */
function meant(file: string, target: string): string | undefined {
  if (target.startsWith('.')) return join(dirname(file), target);
  const ours = /^@hilltop\/([a-z-]+(?:\/[a-z0-9-]+)?)/.exec(target)?.[1];
  return ours && `packages/${ours}`;
}

function isAllowed(file: string, target: string): boolean {
  const home = Object.keys(parts).find((part) => isIn(file, [part])) ?? file;
  if (!isIn(target, [home]))
    return isIn(target, [...(parts[home] ?? []), ...(isTest(file) ? (inTests[home] ?? []) : [])]);
  if (isTest(file)) return true;
  if (file.startsWith(server)) return isAllowedInServer(file.slice(server.length), target.slice(server.length));
  if (file.startsWith(networkServer)) return isAllowedInNetworkServer(file, target);
  if (file.startsWith(components)) return !target.startsWith(features);
  if (!file.startsWith(features)) return true;
  const [feature] = file.slice(features.length).split('/');
  return !target.startsWith(features) || target.startsWith(`${features}${feature}/`);
}

function isAllowedInNetworkServer(file: string, target: string): boolean {
  const [from, to] = [file, target].map((path) => networkServerLayers.indexOf(path.split('/')[3] ?? ''));
  if (isTest(target)) return false;
  return from === -1 ? file === `${networkServer}index.ts` : to !== -1 && to! <= from!;
}

function isAllowedInServer(file: string, target: string): boolean {
  const room = file.includes('/') ? file.slice(0, file.indexOf('/')) : undefined;
  if (room === undefined || shared.includes(target)) return true;
  if (isTest(`/${target}`)) return false;
  const others = file.endsWith('/store.ts') ? ofStores : (rooms[room] ?? []);
  return isIn(target, file.endsWith('/store.ts') ? others : [room, ...others]);
}

const found = globSync(['{packages,apps}/*/src/**/*.{ts,tsx}', '{e2e,bench,scripts}/**/*.{ts,mjs}']).flatMap((file) =>
  importsOf(file)
    .map((target) => meant(file, target))
    .filter((target) => target !== undefined && !isAllowed(file, target))
    .map((target) => `${file}: may not import ${target}`),
);
for (const problem of found) console.error(problem);
process.exit(found.length === 0 ? 0 : 1);
