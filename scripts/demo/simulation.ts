import type { Client } from '@hilltop/contract/client';
import { type NetworkPlan, planNetwork, type Simulation, seededRandom, startSimulation } from '@hilltop/simulator';
import { createGatewayKey } from './key.ts';
import { provision } from './provision.ts';

const uplinksPerSecond = 4;

interface DemoServer {
  client: Client;
  url: string;
  /** `host:port` of the servers that packet forwarders are distributed over. */
  udp: readonly string[];
  /** `host:port` for Basics Stations; empty without them. */
  station: string;
  /** Whether gateways connect to the MQTT broker, over the websocket of the HTTP port. */
  hasMQTT: boolean;
  /** Called before the first frame when the demo organization has just been created. */
  prepare?: (plan: NetworkPlan) => Promise<void>;
}

export interface DemoSimulation {
  plan: NetworkPlan;
  organizationID: string;
  simulation: Simulation;
}

/** Creates the demo organization unless it exists, and starts its gateways and devices. */
export async function startDemoSimulation({
  client,
  url,
  udp,
  station,
  hasMQTT,
  prepare,
}: DemoServer): Promise<DemoSimulation> {
  // The same plan at each start, so that the devices match an existing data directory.
  const plan = planNetwork({ gateways: 25, devices: 200, random: seededRandom(2026) });
  const { result } = await client.organization.list({ limit: 1, search: 'Demo organization' });
  const known = result[0]?.id;
  const organizationID = known ?? (await provision(client, plan));
  if (known === undefined) await prepare?.(plan);
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
