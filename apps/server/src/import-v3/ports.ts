import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type ListeningAddress, listeningAddressesOf } from '../outgoing/own-ports.ts';
import { cannotListen } from '../start-error.ts';
import type { Choice } from './import.ts';
import { readSettingsFile } from './source/settings-file.ts';

const askAgainMs = 250;

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

/** Where servers of version 3 listen, and which address is built in. */
const listeners = [
  ['application_server.external_api.bind', '0.0.0.0:8080'],
  ['application_server.api.bind', '0.0.0.0:8001'],
  ['join_server.bind', '0.0.0.0:8003'],
  ['network_server.api.bind', '0.0.0.0:8000'],
  ['monitoring.bind', ''],
  ['metrics.prometheus.bind', ''],
] as const;

/** Ports that the servers of version 3 have until they are stopped. */
async function portsOfVersion3({ config, networkServerConfigs }: Choice): Promise<Set<number>> {
  const ports = new Set<number>();
  for (const path of [config, ...networkServerConfigs]) {
    const file = await readSettingsFile(path);
    for (const [name, usual] of listeners) ports.add(Number(/:(\d+)$/.exec(file.text(name, usual))?.[1]));
  }
  return ports;
}

/**
 * Throws StartError for the first address that another program has. Those of version 3 itself are only named: they become
 * free when it is stopped.
 */
export async function checkPorts(choice: Choice, config: Config, print: (line: string) => void): Promise<void> {
  const ofVersion3 = await portsOfVersion3(choice);
  for (const { setting, address, error } of await portsInUse(config)) {
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isInUse || !ofVersion3.has(address.port)) throw cannotListen(setting, address, error);
    print(
      `${address.host}:${address.port} (${setting}) is in use, and a port of version 3: the last pass waits until version 3 is stopped`,
    );
  }
}

/** Resolves when a server could listen everywhere: what still listens has not been stopped. */
export async function waitForPorts(config: Config, print: (line: string) => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const inUse = await portsInUse(config);
    if (inUse.length === 0) return;
    if (isFirst)
      for (const { setting, address } of inUse)
        print(`${address.host}:${address.port} (${setting}) is still in use: stop the application server now`);
    await setTimeout(askAgainMs);
  }
}
