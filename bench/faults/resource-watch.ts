import { postgresSeconds } from '../driver/postgres.ts';
import { processorSeconds } from '../driver/process-use.ts';
import type { Instances } from './instances.ts';

/** Duration and processor time of one phase of a run, in seconds. */
export interface ResourcePhase {
  name: string;
  seconds: number;
  servers: number;
  postgres: number;
  /** Processor time of this process: the simulated gateways, devices, clients and proxies. */
  driver: number;
}

export interface ResourceWatch extends Disposable {
  /** Starts a phase with this name. */
  begin(name: string): void;
  stretches(): ResourcePhase[];
}

const sampleMs = 250;

/** Measures the processor time of all processes of a run, including those that restart. */
export function watchResources({ all, postgres }: Instances): ResourceWatch {
  const stretches: ResourcePhase[] = [];
  let before = sample();

  function sample() {
    const servers = new Map<number, number>();
    for (const { hilltop } of all) {
      const pid = hilltop.pid();
      servers.set(
        pid,
        whileThere(() => processorSeconds(pid)),
      );
    }
    const { user, system } = process.cpuUsage();
    const used = { servers, postgres: whileThere(() => postgresSeconds(postgres)), driver: (user + system) / 1e6 };
    return { ...used, at: performance.now() / 1000 };
  }

  function note(): void {
    const now = sample();
    const stretch = stretches.at(-1);
    if (stretch) {
      stretch.seconds += now.at - before.at;
      for (const [pid, seconds] of now.servers)
        stretch.servers += Math.max(0, seconds - (before.servers.get(pid) ?? 0));
      // A restarted process counts from 0.
      stretch.postgres += now.postgres < before.postgres ? now.postgres : now.postgres - before.postgres;
      stretch.driver += now.driver - before.driver;
    }
    before = now;
  }

  const timer = setInterval(note, sampleMs);
  return {
    begin(name) {
      note();
      stretches.push({ name, seconds: 0, servers: 0, postgres: 0, driver: 0 });
    },
    stretches() {
      note();
      return stretches;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function whileThere(seconds: () => number): number {
  try {
    return seconds();
  } catch {
    return 0;
  }
}

/** Percent of one core. */
export function describePhase({ name, seconds, servers, postgres, driver }: ResourcePhase): string {
  const share = (used: number) => `${Math.round((used / seconds) * 100)} %`;
  return `${name}, ${Math.round(seconds * 10) / 10} s: servers ${share(servers)}, PostgreSQL ${share(postgres)}, bench ${share(driver)}`;
}
