// Which test files of node share a process.

/**
 * Each has a process of its own and begins first, as it takes long: the end of a run is then not one long file. The end of
 * a run names the slowest files.
 */
const longest = [
  'apps/server/src/import-v3/import.test.ts',
  'apps/server/src/import-v3/kill.test.ts',
  'apps/server/src/import-v3/cut-over.test.ts',
  'apps/server/src/import-v3/back/write-back.test.ts',
  'apps/server/src/cluster/together.test.ts',
  'apps/server/src/cluster/postgres.test.ts',
  'bench/faults/deliveries.test.ts',
  'bench/faults/faults.test.ts',
  'apps/server/src/resources/device/device.test.ts',
  'apps/server/src/resources/delivery/delivery.test.ts',
  'apps/server/src/delivery/delivery.test.ts',
];

/** Each has a process of its own as well, for the reason given. */
const isolated = {
  'apps/server/src/database/forget-pages.test.ts': 'measures the memory of its process',
  'apps/server/src/native-memory.test.ts': 'measures the memory of its process',
  'apps/server/src/passwords/password.test.ts': 'hashes at the real cost, which test servers lower',
  'apps/server/src/resources/import-v3/import-v3.test.ts': 'sets an environment variable that PostgreSQL clients read',
};

/** To load the server and to warm up costs more than most files do, so up to this many share it. */
const largestGroup = 12;

/** `concurrency`: how many processes run at the same time. */
export function groupFiles(paths, concurrency) {
  const files = paths.map((path) => path.replaceAll('\\', '/')).sort();
  const first = longest.filter((file) => files.includes(file));
  const alone = files.filter((file) => file in isolated);
  const sharing = files.filter((file) => !longest.includes(file) && !(file in isolated));
  const size = Math.max(1, Math.min(largestGroup, Math.floor(sharing.length / concurrency)));
  const groups = [];
  for (let at = 0; at < sharing.length; at += size) groups.push(sharing.slice(at, at + size));
  return { alone: [...first, ...alone], groups };
}
