import type { Clock, JoinReports } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { ServerEffect } from '../events/effect.ts';
import { setLatest } from '../latest-n.ts';
import { logJoinAnswer, logJoinRequest } from './join-log.ts';
import type { ReceivingNetwork } from './unknown-device-rows.ts';
import type { UnknownDevices } from './unknown-devices.ts';

const mostDevAddrs = 5_000;

/** When frames with DevAddrs of our networks were received that no session has. */
export class UnknownDevAddrs {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #heardAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  note(devAddr: string): void {
    setLatest(this.#heardAt, mostDevAddrs, devAddr, this.#clock.now().getTime());
  }

  /** Milliseconds since 1970. */
  heardAt(devAddr: string): number | undefined {
    return this.#heardAt.get(devAddr);
  }
}

interface JoinReportsDependencies {
  database: Database;
  clock: Pick<Clock, 'now'>;
  unknownDevices: UnknownDevices;
  unknownDevAddrs: UnknownDevAddrs;
}

/** Stores what an embedded network server reports of joins. */
export function createJoinReports(
  { database, clock, unknownDevices, unknownDevAddrs }: JoinReportsDependencies,
  network: ReceivingNetwork,
): JoinReports {
  return {
    request(report): ServerEffect {
      const at = clock.now().getTime();
      return { about: `join-request of ${report.devEUI}`, write: () => logJoinRequest(database, report, at) };
    },
    answer: (report): ServerEffect => ({
      about: `join-accept for ${report.devEUI}`,
      write: () => logJoinAnswer(database, report),
    }),
    unknownDevice: (request) => unknownDevices.note(request, network),
    unknownDevAddr: (devAddr) => unknownDevAddrs.note(devAddr),
  };
}
