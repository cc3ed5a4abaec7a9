import { parseArgs } from 'node:util';

export const help = `Simulates a LoRaWAN network: gateways that speak Semtech UDP, devices with real keys and sensors.

Usage: node packages/simulator/src/main.ts [options]

  --server HOST:PORT   where gateways connect (127.0.0.1:1700)
  --devices FILE       JSON: a list of devices with keys, or a whole plan {region, gateways, devices}
  --gateways NUMBER    gateways to place around the town when the file brings none (3)
  --region NAME        region of the devices when the file names none (EU868)
  --rate NUMBER        uplinks per second of all devices together (each sensor's own interval)
  --seconds NUMBER     stop after this time (until Ctrl-C)
  --seed NUMBER        repeat a run exactly
  --plan NUMBER        print a plan with that many devices as JSON and exit: register them, then give it to --devices
  --help               this text

A device: {"devEUI": "...", "joinEUI": "...", "macVersion": "1.0.3", "nwkKey": "...", "sensor": "climate"}
1.0 devices have one key, the AppKey, given as nwkKey; 1.1 devices also appKey; ABP: "session": {devAddr, nwkSKey, appSKey}.
`;

export interface Arguments {
  server: string;
  devices: string | null;
  gateways: number;
  region: string;
  rate: number | null;
  seconds: number | null;
  seed: number | null;
  plan: number | null;
  help: boolean;
}

/** @throws Error with a sentence for the user */
export function parseCommandLine(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      server: { type: 'string', default: '127.0.0.1:1700' },
      devices: { type: 'string' },
      gateways: { type: 'string', default: '3' },
      region: { type: 'string', default: 'EU868' },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      plan: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!/^.+:\d{1,5}$/.test(values.server)) throw new Error(`--server ${values.server}: write it as host:port.`);
  return {
    server: values.server,
    devices: values.devices ?? null,
    gateways: count('gateways', values.gateways),
    region: values.region,
    rate: values.rate === undefined ? null : positive('rate', values.rate),
    seconds: values.seconds === undefined ? null : positive('seconds', values.seconds),
    seed: values.seed === undefined ? null : count('seed', values.seed),
    plan: values.plan === undefined ? null : count('plan', values.plan),
    help: values.help,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`--${name} ${text}: give a number above 0.`);
  return value;
}

function count(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} ${text}: give a whole number.`);
  return Number(text);
}
