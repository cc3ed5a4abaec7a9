/** A dry run in a thread of its own, which can be terminated at any moment and has limited memory. */
import { parentPort, workerData } from 'node:worker_threads';
import { dryRun } from '../import.ts';
import { type DryRunInput, outOfMemory } from './run.ts';
import { uploadAccess } from './upload-access.ts';

const { files, ownPorts } = workerData as DryRunInput;
const [config, ...networkServers] = files;
const choice = {
  config: config!.name,
  networkServerConfigs: networkServers.map(({ name }) => name),
  downlinkMargin: 1,
  isFinal: false,
};
// What a server sends is not on the heap, whose size is limited, so a reply without end would take the memory of the
// whole process.
const maxBytes = 300e6;
setInterval(() => {
  if (process.memoryUsage().arrayBuffers > maxBytes)
    throw Object.assign(new Error('too much memory'), { code: outOfMemory });
}, 100).unref();

const context = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
parentPort!.postMessage(await dryRun(choice, context, uploadAccess(files, ownPorts)));
