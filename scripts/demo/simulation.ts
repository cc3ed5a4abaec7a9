import type { Client } from '@hilltop/contract/client';
import { type NetworkPlan, planNetwork, type Simulation, seededRandom, startSimulation } from '@hilltop/simulator';
import { createGatewayKey } from './key.ts';
import { provision } from './provision.ts';

const uplinksPerSecond = 4;

interface DemoServer {
  client: Client;
  url: string;
  /** Where packet forwarders send to, spread over them. */
  udp: readonly string[];
  /** Empty for none. */
  station: string;
  /** At the websocket of the HTTP port, whatever port the broker has. */
  hasMQTT: boolean;
  /** What is to be there before the first frame, in an organization that was just made. */
  prepare?: (plan: NetworkPlan) => void;
}

export interface Simulation {
  plan: NetworkPlan;
  organizationID: string;
  simulation: Simulation;
}

/** Makes the demo organization where it is missing, and lets its gateways and devices speak. */
export async function startSimulation({
  client,
  url,
  udp,
  station,
  hasMQTT,
  prepare,
}: DemoServer): Promise<Simulation> {
  // The same plan each time, so that a kept directory and its devices still know each other.
  const plan = planNetwork({ gateways: 25, devices: 200, random: seededRandom(2026) });
  const { result } = await client.organization.list({ limit: 1, search: 'Demo organization' });
  const known = result[0]?.id;
  const organizationID = known ?? (await provision(client, plan));
  if (known === undefined) prepare?.(plan);
  const simulation = await startSimulation({
    server: udp,
    ...(station && { stationServer: station }),
    ...(hasMQTT && {
      broker: { server: `${url.replace('http', 'ws')}/mqtt`, password: await createGatewayKey(client, organizationID) },
    }),
    plan,
    rate: uplinksPerSecond,
    startWithinMs: 20_000,
  });
  return { plan, organizationID, simulation };
}
