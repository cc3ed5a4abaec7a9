/** The records that `compare` creates at a server of the user, by its API of version 3. */
import { randomInt } from 'node:crypto';
import { ApiFailure, type Client, loadClient } from '@hilltop/contract/client';
import { createBaseRecords, gatewayIDsOf } from './base-records.ts';
import { createABPFleet, type Fleet } from './fleet.ts';

export interface ComparedRecords extends AsyncDisposable {
  fleet: Fleet;
  gatewayIDs: string[];
}

/** Devices of a run and numbers of runs: together the 24 bits of a DevAddr that belong to the device. */
const [devicesOfRun, runs] = [2 ** 10, 2 ** 14];
const runDigits = 4;

/** Creates an organization with gateways and devices, and deletes it afterwards. */
export async function createComparedRecords(api: string, token: string, devices: number): Promise<ComparedRecords> {
  const client = loadClient({ fetch, baseURL: api, token: () => token });
  await using made = new AsyncDisposableStack();
  try {
    const networkServerID = await networkServerOf(client);
    // A run that was ended left its records: each run has its own names and addresses.
    const run = randomInt(runs);
    const text = run.toString(16).padStart(runDigits, '0');
    const { id: organizationID } = await client.organization.create({
      organization: { name: `bench-${text}`, displayName: `Bench ${text}`, canHaveGateways: true },
    });
    made.defer(() => removeOrganization(client, organizationID));
    const owners = { organizationID, networkServerID };
    const ground = await createBaseRecords(client, { owners, gatewayIDs: gatewayIDsOf(`b0ba${text}`) });
    const fleet = await createABPFleet(client, ground, devices, { first: run * devicesOfRun });
    const all = made.move();
    return { fleet, gatewayIDs: ground.gatewayIDs, [Symbol.asyncDispose]: () => all.disposeAsync() };
  } catch (error) {
    throw explained(error, api);
  }
}

async function networkServerOf(client: Client): Promise<string> {
  const [network] = (await client.networkServer.list({ limit: 1 })).result;
  if (!network) throw new Error('The server has no network-server: add one in its console, then repeat.');
  return network.id;
}

async function removeOrganization(client: Client, organizationID: string): Promise<void> {
  const owned = { organizationID, limit: 100 };
  for (const { id } of (await client.application.list(owned)).result) await client.application.delete({ id });
  for (const { id } of (await client.gateway.list(owned)).result) await client.gateway.delete({ id });
  for (const { id } of (await client.deviceProfile.list(owned)).result) await client.deviceProfile.delete({ id });
  for (const { id } of (await client.serviceProfile.list(owned)).result) await client.serviceProfile.delete({ id });
  await client.organization.delete({ id: organizationID });
}

/** Codes of gRPC: no response, and an API without such an operation. */
const [unavailable, unimplemented] = [14, 12];

/** The failure with the next step. */
function explained(error: unknown, api: string): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const { status, code, message } = error;
  if (code === unavailable) return new Error(`${api} is not reachable: ${message} Check --api.`);
  if (status === 401)
    return new Error(`${api} refuses the token: create a key of a global admin and name it in --token.`);
  if (status === 403)
    return new Error(`${api} does not permit this: ${message} The key in --token must be one of a global admin.`);
  if (status === 404 || code === unimplemented)
    return new Error(
      `${api} has no API of version 3 (${message}). Register devices yourself and name them in --fleet.`,
    );
  return new Error(`${api}: ${message}`);
}
