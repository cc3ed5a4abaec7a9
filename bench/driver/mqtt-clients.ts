import { connectAsync, type MqttClient } from 'mqtt';
import type { BenchServer } from './server.ts';

/** Connects MQTT clients that sign in with the API key of an application. */
export interface MqttClients extends AsyncDisposable {
  open: (applicationID: string) => Promise<MqttClient>;
}

export async function openMqttClients({ client }: BenchServer): Promise<MqttClients> {
  const opened: MqttClient[] = [];
  const keys = new Map<string, Promise<{ jwtToken: string }>>();
  let url: string | undefined;

  const keyOf = (applicationID: string) => {
    const key = keys.get(applicationID) ?? client.internal.createAPIKey({ apiKey: { name: 'bench', applicationID } });
    keys.set(applicationID, key);
    return key;
  };

  return {
    open: async (applicationID) => {
      url ??= (await client.mqtt.get({ applicationID })).addresses.find(({ transport }) => transport === 'TCP')?.url;
      const { jwtToken: password } = await keyOf(applicationID);
      const one = await connectAsync(url!, { username: 'bench', password, reconnectPeriod: 0, protocolVersion: 4 });
      opened.push(one);
      return one;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((one) => one.endAsync(true)));
    },
  };
}
