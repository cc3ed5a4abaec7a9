import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Log } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import type { Networks } from '../../network/network-servers.ts';

interface DisabledMarksDependencies {
  database: Database;
  networks: Pick<Networks, 'of'>;
  log: Log;
}

const devicesPerPage = 100;
/** When a network server that did not respond is asked again. */
const againMs = 10 * 60_000;

/**
 * Copies whether a device is disabled from its network server, for devices of earlier releases. Every change of a device
 * writes it, so each device is read once.
 */
export class DisabledMarks {
  readonly #needs: DisabledMarksDependencies;
  #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(needs: DisabledMarksDependencies) {
    this.#needs = needs;
  }

  start(): void {
    this.#ending = new AbortController();
    this.#running = this.#run(this.#ending.signal);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  /** Resolves when every device is known. */
  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isComplete = await this.fill(signal).catch((error: unknown) => {
        this.#needs.log.error({ err: error }, 'Reading which devices are disabled failed; it is tried again later.');
        return false;
      });
      if (isComplete) return;
      await sleep(againMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Asks once about each unknown device. Answers whether all network servers responded. */
  async fill(signal: AbortSignal): Promise<boolean> {
    const { database, log } = this.#needs;
    const silent = new Set<number>();
    for (let last = ''; !signal.aborted; ) {
      const rows = await database.query
        .selectFrom('device')
        .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
        .select(['dev_eui', 'network_server_id'])
        .where('is_disabled', 'is', null)
        .where('dev_eui', '>', last)
        .orderBy('dev_eui')
        .limit(devicesPerPage)
        .execute();
      for (const { dev_eui: devEUI, network_server_id: networkServerID } of rows) {
        if (signal.aborted || silent.has(networkServerID)) continue;
        try {
          await this.#copy(devEUI, networkServerID);
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          silent.add(networkServerID);
          log.warn({ err: error, networkServerID }, 'Which devices are disabled could not be read; it is tried again.');
        }
      }
      if (rows.length < devicesPerPage) return silent.size === 0;
      last = rows.at(-1)!.dev_eui;
      await yieldToEventLoop();
    }
    return false;
  }

  async #copy(devEUI: string, networkServerID: number): Promise<void> {
    const { database, networks } = this.#needs;
    const network = await networks.of(networkServerID);
    const isDisabled = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) }).then(
      ({ device }) => device?.isDisabled ?? false,
      (error: unknown) => {
        if (error instanceof RpcError && error.code === 'NotFound') return false;
        throw error;
      },
    );
    // A change by the API that came first has written it.
    await database.query
      .updateTable('device')
      .set({ is_disabled: isDisabled })
      .where('dev_eui', '=', devEUI)
      .where('is_disabled', 'is', null)
      .execute();
  }
}
