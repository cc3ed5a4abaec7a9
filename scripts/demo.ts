// Runs Hilltop with a simulated network: 25 gateways and 200 devices in a demo organization. Each start begins with empty
// data unless HILLTOP_DATA names a directory. `--instances 3` runs three instances on PostgreSQL and Redis.
import { parseArgs } from 'node:util';
import { runCluster } from './demo/cluster.ts';
import { missingServices } from './demo/services.ts';
import { runSingleServer } from './demo/single-server.ts';

const mostInstances = 9;

function readCount(): number {
  const { values } = parseArgs({ options: { instances: { type: 'string', default: '1' } } });
  const count = Number(values.instances);
  if (Number.isInteger(count) && count >= 1 && count <= mostInstances) return count;
  throw new Error(`--instances takes a number from 1 to ${mostInstances}.`);
}

try {
  const count = readCount();
  const missing = count > 1 ? missingServices() : undefined;
  if (missing !== undefined) throw new Error(missing);
  await (count === 1 ? runSingleServer() : runCluster(count));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
