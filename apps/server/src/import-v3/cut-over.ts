import { setTimeout } from 'node:timers/promises';
import type { Log } from '@hilltop/network-server';
import { type HeldGateways, holdGateways } from '../network/hold-gateways.ts';
import { cannotListen } from '../start-error.ts';
import { type Choice, type ImportContext, type ImportTarget, importAll } from './import.ts';
import { checkPorts, waitForPorts } from './ports.ts';
import { isStopped, type Report } from './report/report.ts';
import { createRowDigests } from './target/row-digests.ts';

/** What an operator chose of the change. */
export interface CutOverChange extends Choice {
  /** Between taking the port and the last pass: until then what is in the air has landed, and the old servers are stopped. */
  settleMs: number;
  /** As the server, after the last pass. */
  goesOn: boolean;
}

interface Needs extends ImportContext {
  log: Log;
}

const askAgainMs = 250;

/**
 * The change from a running version 3. First what is left is copied; then the UDP port is taken as soon as the old gateway
 * bridge lets go of it, and what gateways hear is kept from there on; then the last pass is made. With a report that stops
 * nothing the port is still held: whoever called hands it on, or stops it.
 */
export async function cutOver(
  change: CutOverChange,
  target: ImportTarget,
  needs: Needs,
): Promise<{ report: Report; held: HeldGateways | undefined }> {
  const memory = { rows: createRowDigests() };
  if (change.goesOn) await checkPorts(change, target.config, needs.print);
  const copied = await importAll({ ...change, isFinal: false }, target, needs, memory);
  if (isStopped(copied)) return { report: copied, held: undefined };
  const held = await takePort(target, needs);
  try {
    needs.print(
      `UDP port ${held.port} is taken and what gateways hear is kept: stop the network server and the application server now; the last pass begins in ${Math.ceil(change.settleMs / 1000)} s`,
    );
    await setTimeout(change.settleMs);
    if (change.goesOn) await waitForPorts(target.config, needs.print);
    const report = await importAll({ ...change, isFinal: true }, target, needs, memory);
    if (!isStopped(report)) return { report, held };
    await held.stop();
    return { report, held: undefined };
  } catch (error) {
    await held.stop();
    throw error;
  }
}

/** Waits for as long as another program has it. */
async function takePort(target: ImportTarget, { print, log }: Needs): Promise<HeldGateways> {
  const { udp } = target.config;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await holdGateways(target, log);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cannotListen('HILLTOP_UDP', udp, error);
    }
    if (isFirst) print(`Another program has UDP port ${udp.port}: stop the gateway bridge now`);
    await setTimeout(askAgainMs);
  }
}

/** What was kept, said when nobody holds the port any more, or when it is handed on. */
export function noteHeld(report: Report, { heard }: HeldGateways): void {
  const { kept, dropped } = heard();
  const note = (because: string, count: number) =>
    count > 0 && report.findings.push({ kind: 'notice', what: 'gateways', because, count, examples: [] });
  note('uplinks that came during the last pass are kept: the server takes them up when it starts', kept);
  note('datagrams of unknown gateways, or broken ones, were dropped during the last pass', dropped);
}
