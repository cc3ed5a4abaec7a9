import { postgresSeconds } from '../driver/postgres.ts';
import { processorSeconds } from '../driver/process-use.ts';
import type { Instances } from './instances.ts';

/** What one stretch of a bad day took of the machine: seconds, and those of processor time. */
export interface Stretch {
  name: string;
  seconds: number;
  servers: number;
  postgres: number;
  /** Of this process, with all that stands for gateways, devices, people and networks. */
  driver: number;
}

export interface Work extends Disposable {
  /** What comes now is of a stretch of this name. */
  begin(name: string): void;
  stretches(): Stretch[];
}

const sampleMs = 250;

/** Measures what the processes of a field take, whichever of them end and begin meanwhile. */
export function watchWork({ all, postgres }: Instances): Work {
  const stretches: Stretch[] = [];
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
      // Started anew it counts from nothing.
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

/** In percent of one core. */
export function sayStretch({ name, seconds, servers, postgres, driver }: Stretch): string {
  const share = (used: number) => `${Math.round((used / seconds) * 100)} %`;
  return `${name}, ${Math.round(seconds * 10) / 10} s: servers ${share(servers)}, PostgreSQL ${share(postgres)}, bench ${share(driver)}`;
}
