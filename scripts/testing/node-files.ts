/** Selects and orders the test files of node:test, and decides which of them share a process. */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The module that test processes load first. */
export const untrackedPromises = new URL('untracked-promises.mjs', import.meta.url).href;

/** Files with a process of their own that take longest. They start first, so that no core is idle at the end. */
export const slowFiles: readonly string[] = [
  'apps/server/src/main.test.ts',
  'bench/faults/faults.test.ts',
  'apps/server/src/http/hostile-input.test.ts',
  'bench/faults/deliveries.test.ts',
  'scripts/demo/instances.test.ts',
  'bench/faults/instances.test.ts',
  'packages/network-server/src/scenarios/adr-links.test.ts',
  'apps/server/src/cluster/several-instances.test.ts',
  'apps/server/src/import-v3/kill.test.ts',
  'apps/server/src/connections/idle-connections.test.ts',
  'apps/server/src/import-v3/cut-over.test.ts',
  'apps/server/src/import-v3/serve.test.ts',
  'apps/server/src/single-sign-on/single-sign-on.test.ts',
  'apps/server/src/import-v3/command.test.ts',
  'apps/server/src/cluster/upgrade.test.ts',
  'apps/server/src/connections/cut-http.test.ts',
];

/**
 * Files of these folders share processes, because importing the server takes longer than most of their tests. A file
 * here closes what it opens and changes no global state. Files of other folders have their own process: they measure
 * memory, check which modules are loaded, limit the time of codecs, or run server processes themselves.
 */
export const sharedFolders: readonly SharedFolder[] = [
  { name: 'resources', files: 'apps/server/src/resources/**/*.test.ts', processes: 6, alone: [] },
  {
    name: 'http',
    files: 'apps/server/src/http/**/*.test.ts',
    processes: 4,
    // It takes as long as all others of its folder.
    alone: ['apps/server/src/http/hostile-input.test.ts'],
  },
  {
    name: 'network',
    files: 'apps/server/src/network/**/*.test.ts',
    processes: 3,
    // It asserts how often a module is loaded.
    alone: ['apps/server/src/network/grpc-server.test.ts'],
  },
  { name: 'database', files: 'apps/server/src/database/**/*.test.ts', processes: 2, alone: [] },
  {
    name: 'events',
    files: 'apps/server/src/{delivery,discovery,event-log,events,integrations,statistics}/**/*.test.ts',
    processes: 3,
    // It sends as fast as the server acknowledges.
    alone: ['apps/server/src/events/full-rate.test.ts'],
  },
  {
    name: 'records',
    files: 'apps/server/src/{alerts,audit,backup,certificates,conditions,gateway-outages,history}/**/*.test.ts',
    processes: 2,
    alone: [],
  },
  {
    name: 'parts',
    files: 'apps/server/src/{bus,cluster,device-library,identity,mail,table-files}/**/*.test.ts',
    processes: 2,
    // They run server processes themselves.
    alone: ['several-instances', 'upgrade'].map((name) => `apps/server/src/cluster/${name}.test.ts`),
  },
  {
    name: 'platform',
    files: 'apps/server/src/*.test.ts',
    processes: 1,
    // They run processes, or look at memory and modules.
    alone: ['main', 'deploy', 'deploy-nginx', 'loaded-at-start', 'native-memory', 'release-memory'].map(
      (name) => `apps/server/src/${name}.test.ts`,
    ),
  },
  { name: 'bench', files: 'bench/{cases,driver}/**/*.test.ts', processes: 1, alone: [] },
  { name: 'mqtt', files: 'apps/server/src/mqtt/**/*.test.ts', processes: 2, alone: [] },
  {
    name: 'import-v3',
    files: 'apps/server/src/import-v3/**/*.test.ts',
    processes: 3,
    // They run server processes themselves.
    alone: ['kill', 'cut-over', 'serve', 'command'].map((name) => `apps/server/src/import-v3/${name}.test.ts`),
  },
  {
    name: 'packages',
    files: 'packages/*/src/**/*.test.ts',
    processes: 2,
    // It takes as long as all others together.
    alone: ['packages/network-server/src/scenarios/adr-links.test.ts'],
  },
];

interface SharedFolder {
  name: string;
  files: string;
  processes: number;
  /** Files of the folder that have a process of their own. */
  alone: readonly string[];
}

/**
 * These files also run with two servers that are called in turn, which reveals state that one server has only in
 * memory.
 */
export const filesForInstances = [
  'device/device',
  'device-queue/device-queue',
  'internal/internal',
  'multicast-group/multicast-group',
  'network-server/network-server',
  'session/session',
  'user/user',
].map((name) => `apps/server/src/resources/${name}.test.ts`);

/** All test files, slow ones first. Files that share a process are replaced by a file in `scratch` that imports them. */
export function nodeTestFiles(scratch: string): string[] {
  const groups = fileGroups();
  const grouped = groups.flatMap(({ files }) => files);
  const first = new Set([...slowFiles, ...grouped]);
  const others = allTestFiles().filter((file) => !first.has(file));
  return [...slowFiles, ...groups.map((group) => writeGroup(group, scratch)), ...others];
}

export const allTestFiles = (): string[] =>
  globSync([
    'packages/*/src/**/*.test.ts',
    'apps/{docs,server}/src/**/*.test.ts',
    'scripts/**/*.test.ts',
    'bench/**/*.test.ts',
  ]).toSorted();

/** Test files by the process that they share. */
export const fileGroups = (): FileGroup[] => sharedFolders.flatMap((folder) => groupFiles(folder));

interface FileGroup {
  name: string;
  files: string[];
}

/** Distributes the files of a folder over its processes. */
function groupFiles({ name, files, processes, alone }: SharedFolder): FileGroup[] {
  const groups = Array.from(
    { length: processes },
    (_, index): FileGroup => ({ name: `${name}-${index + 1}`, files: [] }),
  );
  const shared = globSync(files)
    .toSorted()
    .filter((file) => !alone.includes(file));
  for (const [index, file] of shared.entries()) groups[index % processes]!.files.push(file);
  return groups;
}

function writeGroup({ name, files }: FileGroup, scratch: string): string {
  const group = join(scratch, `${name}.test.mjs`);
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});`);
  writeFileSync(group, `${imports.join('\n')}\n`);
  return group;
}
