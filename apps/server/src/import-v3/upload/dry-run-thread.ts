/** A dry run in a thread of its own: it can be ended at any moment, and its memory has an end. */
import { parentPort, workerData } from 'node:worker_threads';
import { dryRun } from '../import.ts';
import { reachOf } from './reach.ts';
import { type Asked, outOfMemory } from './run.ts';

const { files, ownPorts } = workerData as Asked;
const [config, ...networkServers] = files;
const choice = {
  config: config!.name,
  networkServerConfigs: networkServers.map(({ name }) => name),
  downlinkMargin: 1,
  isFinal: false,
};
// What a server sends without an end is on no heap, whose size is limited: it would be the memory of the whole process.
const mostBytes = 300e6;
setInterval(() => {
  if (process.memoryUsage().arrayBuffers > mostBytes)
    throw Object.assign(new Error('too much memory'), { code: outOfMemory });
}, 100).unref();

const surroundings = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
parentPort!.postMessage(await dryRun(choice, surroundings, reachOf(files, ownPorts)));
