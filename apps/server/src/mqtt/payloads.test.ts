import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fromBinary, integration } from '@hilltop/protobuf';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings } from '../testing/field.ts';
import { brokerSettings, connectMQTT, happen, subscribe, urlOf } from '../testing/mqtt.ts';
import { startTestApp } from '../testing/test-app.ts';

const templates = {
  mqttEventTopic: 'lora/{{ .ApplicationID }}/{{.DevEUI}}/{{ .EventType }}',
  mqttCommandTopic: 'down/{{ .ApplicationID }}-{{ .DevEUI }}',
};

async function received(settings: Record<string, string>) {
  await using app = await startTestApp('sqlite', { ...brokerSettings, ...settings });
  const own = await createSurroundings(app);
  const devEUI = await createDevice(app, own, { name: 'soil-1', tags: { site: 'north' } });
  const gatewayID = await createGateway(app, own.organizationID);
  const { token } = await createAPIKey(app, { applicationID: own.applicationID });
  const raw = await new Promise<{ topic: string; bytes: Buffer }>((resolve, reject) => {
    void (async () => {
      await using someone = await connectMQTT(urlOf(app), { username: 'any', password: token });
      const arrived = new Promise<void>((done) =>
        someone.client.once('message', (topic, bytes) => {
          resolve({ topic, bytes });
          done();
        }),
      );
      await subscribe(someone.client, '#');
      const rxInfo = [{ gatewayID: Uint8Array.fromHex(gatewayID), rssi: -61, loRaSNR: 8.5 }];
      await happen(app, devEUI, 'up', { fCnt: 42, fPort: 10, data: Uint8Array.of(0, 225), rxInfo });
      await arrived;
    })().catch(reject);
  });
  return { ...raw, devEUI, gatewayID, applicationID: own.applicationID };
}

it('writes events like version 3, with names of gateways', async () => {
  const { topic, bytes, devEUI, gatewayID, applicationID } = await received({});
  assert.equal(topic, `application/${applicationID}/device/${devEUI}/event/up`);
  const written = JSON.parse(bytes.toString());
  assert.deepEqual([written.devEUI, written.data, written.fPort], [devEUI, 'AOE=', 10]);
  assert.deepEqual([written.rxInfo[0].gatewayID, written.rxInfo[0].name], [gatewayID, `gateway-${gatewayID}`]);
});

it('writes events as protobuf to configured topics', async () => {
  const { topic, bytes, devEUI, applicationID } = await received({ ...templates, integrationMarshaler: 'protobuf' });
  assert.equal(topic, `lora/${applicationID}/${devEUI}/up`);
  assert.equal(fromBinary(integration.UplinkEvent, bytes).fCnt, 42);
});
