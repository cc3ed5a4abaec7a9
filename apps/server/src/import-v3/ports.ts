import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type ListeningAddress, listeningAddressesOf } from '../outgoing/own-ports.ts';
import { cannotListen } from '../start-error.ts';
import type { ImportOptions } from './import.ts';
import { readSettingsFile } from './source/settings-file.ts';

const retryMs = 250;

interface PortInUse extends ListeningAddress {
  error: unknown;
}

/** Addresses at which a server with these settings could not listen now. */
async function portsInUse(config: Config): Promise<PortInUse[]> {
  const found: PortInUse[] = [];
  for (const one of listeningAddressesOf(config)) {
    const probe = createServer();
    try {
      probe.listen(one.address.port, one.address.host);
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
    } catch (error) {
      found.push({ ...one, error });
    }
  }
  return found;
}

/** Settings with the addresses of version 3, and their defaults. */
const listeners = [
  ['application_server.external_api.bind', '0.0.0.0:8080'],
  ['application_server.api.bind', '0.0.0.0:8001'],
  ['join_server.bind', '0.0.0.0:8003'],
  ['network_server.api.bind', '0.0.0.0:8000'],
  ['monitoring.bind', ''],
  ['metrics.prometheus.bind', ''],
] as const;

/** Ports that the servers of version 3 use until they are stopped. */
async function portsOfVersion3({ config, networkServerConfigs }: ImportOptions): Promise<Set<number>> {
  const ports = new Set<number>();
  for (const path of [config, ...networkServerConfigs]) {
    const file = await readSettingsFile(path);
    for (const [name, usual] of listeners) ports.add(Number(/:(\d+)$/.exec(file.text(name, usual))?.[1]));
  }
  return ports;
}

/**
 * Throws StartError for the first address that another program uses. Addresses of version 3 are only reported, because
 * they become free when it is stopped.
 */
export async function checkPorts(choice: ImportOptions, config: Config, print: (line: string) => void): Promise<void> {
  const ofVersion3 = await portsOfVersion3(choice);
  for (const { setting, address, error } of await portsInUse(config)) {
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isInUse || !ofVersion3.has(address.port)) throw cannotListen(setting, address, error);
    print(
      `${address.host}:${address.port} (${setting}) is in use, and a port of version 3: the last pass waits until version 3 is stopped`,
    );
  }
}

/** Resolves when a server could listen at all addresses, that is, when the old servers have been stopped. */
export async function waitForPorts(config: Config, print: (line: string) => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const inUse = await portsInUse(config);
    if (inUse.length === 0) return;
    if (isFirst)
      for (const { setting, address } of inUse)
        print(`${address.host}:${address.port} (${setting}) is still in use: stop the application server now`);
    await setTimeout(retryMs);
  }
}
