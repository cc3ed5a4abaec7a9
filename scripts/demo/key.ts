import type { Client } from '@hilltop/contract/client';

const name = 'Gateways of the demo';

/** Creates the API key of the gateways for MQTT and deletes the key of an earlier start. */
export async function createGatewayKey({ internal }: Client, organizationID: string): Promise<string> {
  const { result } = await internal.listAPIKeys({ organizationID, limit: 100 });
  for (const key of result) if (key.name === name) await internal.deleteAPIKey({ id: key.id });
  return (await internal.createAPIKey({ apiKey: { name, organizationID } })).jwtToken;
}
