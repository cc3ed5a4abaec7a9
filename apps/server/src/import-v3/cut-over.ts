import { setTimeout } from 'node:timers/promises';
import type { Log } from '@hilltop/network-server';
import { type JournalOnlyGateways, startJournalOnlyGateways } from '../network/journal-only-gateways.ts';
import { cannotListen } from '../start-error.ts';
import { type ImportContext, type ImportOptions, type ImportTarget, importAll } from './import.ts';
import { checkPorts, waitForPorts } from './ports.ts';
import { isStopped, type Report } from './report/report.ts';
import { createRowDigests } from './target/row-digests.ts';

/** The options of an operator for the change. */
export interface CutOverOptions extends ImportOptions {
  /**
   * Time between binding the port and the last pass: frames in flight arrive and the operator stops the old servers.
   */
  settleMs: number;
  /** Whether to continue as the server after the last pass. */
  continuesAsServer: boolean;
}

interface CutOverContext extends ImportContext {
  log: Log;
}

const retryMs = 250;

/**
 * The change from a running version 3: copies everything, binds the UDP port as soon as the old gateway bridge releases
 * it, then journals the uplinks of gateways and makes the last pass. Unless the report stops the import, the port is
 * still bound afterwards: the caller hands it to the server or closes it.
 */
export async function cutOver(
  change: CutOverOptions,
  target: ImportTarget,
  needs: CutOverContext,
): Promise<{ report: Report; held: JournalOnlyGateways | undefined }> {
  const memory = { rows: createRowDigests() };
  if (change.continuesAsServer) await checkPorts(change, target.config, needs.print);
  const copied = await importAll({ ...change, isFinal: false }, target, needs, memory);
  if (isStopped(copied)) return { report: copied, held: undefined };
  const held = await bindUDPPort(target, needs);
  try {
    needs.print(
      `UDP port ${held.port} is bound and uplinks are stored: stop the network server and the application server now; the last pass begins in ${Math.ceil(change.settleMs / 1000)} s`,
    );
    await setTimeout(change.settleMs);
    if (change.continuesAsServer) await waitForPorts(target.config, needs.print);
    const report = await importAll({ ...change, isFinal: true }, target, needs, memory);
    if (!isStopped(report)) return { report, held };
    await held.stop();
    return { report, held: undefined };
  } catch (error) {
    await held.stop();
    throw error;
  }
}

/** Waits while another program has the port. */
async function bindUDPPort(target: ImportTarget, { print, log }: CutOverContext): Promise<JournalOnlyGateways> {
  const { udp } = target.config;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await startJournalOnlyGateways(target, log);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cannotListen('HILLTOP_UDP', udp, error);
    }
    if (isFirst) print(`Another program has UDP port ${udp.port}: stop the gateway bridge now`);
    await setTimeout(retryMs);
  }
}

/** Reports how many uplinks were journaled, once the port is closed or handed to the server. */
export function reportJournaledUplinks(report: Report, { counts }: JournalOnlyGateways): void {
  const { stored, dropped } = counts();
  const note = (because: string, count: number) =>
    count > 0 && report.findings.push({ kind: 'notice', what: 'gateways', because, count, examples: [] });
  note('uplinks that arrived during the last pass are stored: the server processes them when it starts', stored);
  note('datagrams of unknown gateways and invalid datagrams were dropped during the last pass', dropped);
}
