/** The simulator as a command: `node packages/simulator/src/main.ts --help`. */
import { readFileSync } from 'node:fs';
import { type Arguments, help, parseCommandLine } from './command-line.ts';
import { readDeviceFile } from './device-file.ts';
import { type NetworkPlan, planNetwork } from './plan.ts';
import { seededRandom } from './random.ts';
import { type Simulation, startSimulation } from './simulation.ts';

const reportEveryMs = 5000;

async function main(): Promise<void> {
  const options = parseCommandLine(process.argv.slice(2));
  if (options.help) return console.log(help);
  const random = options.seed === null ? Math.random : seededRandom(options.seed);
  const { gateways, region } = options;
  if (options.plan !== null) {
    return console.log(JSON.stringify(planNetwork({ gateways, devices: options.plan, random, region }), null, 2));
  }
  const plan = readPlan(options, random);
  const simulation = await startSimulation({
    server: options.server,
    plan,
    random,
    ...(options.rate !== null && { rate: options.rate }),
  });
  console.log(`${plan.gateways.length} gateways and ${plan.devices.length} devices speak to ${options.server}.`);
  const report = setInterval(() => print(simulation), reportEveryMs);
  await finished(options.seconds);
  clearInterval(report);
  await simulation.stop();
  print(simulation);
}

function readPlan({ devices, gateways, region }: Arguments, random: () => number): NetworkPlan {
  if (devices === null) throw new Error('Give the devices with --devices FILE; --help tells more.');
  const read = readDeviceFile(readFileSync(devices, 'utf8'));
  const planned = planNetwork({ gateways, devices: 0, random, region: read.region ?? region });
  return { ...planned, ...read };
}

function print({ counts, gateways }: Simulation): void {
  const of = (name: keyof (typeof gateways)[number]['counts']) =>
    gateways.reduce((sum, gateway) => sum + gateway.counts[name], 0);
  console.log(
    [
      `joined ${counts.joined} of ${counts.joinRequests} requests`,
      `${counts.uplinks} uplinks (${counts.unheard} unheard)`,
      `${of('acknowledged')} of ${of('pushed')} datagrams acknowledged`,
      `${of('downlinks')} downlinks (${of('emitted')} sent)`,
      `${counts.answered} of ${counts.confirmed} confirmed answered`,
    ].join(', '),
  );
}

function finished(seconds: number | null): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    if (seconds !== null) setTimeout(resolve, seconds * 1000);
  });
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
