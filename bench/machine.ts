import { cpus, loadavg, platform, release, totalmem } from 'node:os';

/** The machine that the figures were measured on. */
export function machine() {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? 'unknown processor',
    cores: processors.length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.versions.node,
    /** Above 0.2, other processes were active and the figures are too low. */
    loadBefore: loadavg()[0],
  };
}
