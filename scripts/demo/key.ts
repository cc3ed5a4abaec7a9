import type { Client } from '@hilltop/contract/client';

const name = 'Gateways of the demo';

/** The API key with which gateways sign in by MQTT; the one of an earlier start ends. */
export async function createGatewayKey({ internal }: Client, organizationID: string): Promise<string> {
  const { result } = await internal.listAPIKeys({ organizationID, limit: 100 });
  for (const key of result) if (key.name === name) await internal.deleteAPIKey({ id: key.id });
  return (await internal.createAPIKey({ apiKey: { name, organizationID } })).jwtToken;
}
