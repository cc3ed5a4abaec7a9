import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromBinary, toJsonText } from '@hilltop/protobuf';
import { type EventType, eventMessages } from '../events/event.ts';
import { loggedEvent, sampleRXInfo } from '../testing/logged-events.ts';
import { createMarshal } from './marshal.ts';

const marshal = createMarshal({ withEventID: false });
const names = {
  gatewayNames: async (ids: readonly string[]) =>
    new Map(ids.filter((id) => id === 'b827ebfffe112233').map((id) => [id, 'roof'])),
};
const types = Object.keys(eventMessages) as EventType[];
const text = async (...given: Parameters<typeof loggedEvent>) =>
  (await marshal(loggedEvent(...given), 'JSON_V3', names)).body;

const device = '"applicationID":"7","applicationName":"greenhouse","deviceName":"soil-1","devEUI":"0a1b2c3d4e5f6071"';
const legacy: Record<EventType, string> = {
  up: `{"applicationID":"7","applicationName":"greenhouse","deviceName":"soil-1","deviceProfileName":"soil-otaa","deviceProfileID":"3d1f7c52-5f0e-4c53-9d2a-6a4d0a6a7c11","devEUI":"0a1b2c3d4e5f6071","rxInfo":[{"gatewayID":"b827ebfffe112233","uplinkID":"00010203-0405-0607-0809-0a0b0c0d0e0f","name":"roof","rssi":-61,"loRaSNR":8.5,"location":{"latitude":52.1,"longitude":5.2,"altitude":12}}],"txInfo":{"frequency":868300000,"dr":3},"adr":true,"fCnt":42,"fPort":10,"data":"AOE=","object":{"moisture":22.5},"tags":{"site":"north"}}`,
  join: `{${device},"devAddr":"01abcdef","txInfo":{"frequency":868100000,"dr":5},"tags":{"site":"north"}}`,
  ack: `{${device},"acknowledged":true,"fCnt":12,"tags":{"site":"north"}}`,
  error: `{${device},"type":"UPLINK_CODEC","error":"decoder failed","fCnt":43,"tags":{"site":"north"}}`,
  status: `{${device},"margin":9,"externalPowerSource":false,"batteryLevel":75.59,"batteryLevelUnavailable":false,"tags":{"site":"north"}}`,
  location: `{${device},"location":{"latitude":52.1,"longitude":5.2,"altitude":0},"tags":{"site":"north"}}`,
  txack: `{${device},"fCnt":12,"tags":{"site":"north"}}`,
  integration: `{${device},"object":{"result":{}}}`,
};

describe('marshalers', () => {
  for (const type of types) {
    it(`write ${type} as the JSON of version 3`, async () => assert.equal(await text(type), legacy[type]));

    it(`write ${type} as it is stored in JSON`, async () => {
      const { body, contentType } = await marshal(loggedEvent(type), 'JSON', names);
      assert.equal(body, loggedEvent(type).json);
      assert.equal(contentType, 'application/json');
    });

    it(`write ${type} as equivalent protobuf`, async () => {
      const { body, contentType } = await marshal(loggedEvent(type), 'PROTOBUF', names);
      assert.equal(contentType, 'application/octet-stream');
      const message = eventMessages[type];
      assert.deepEqual(JSON.parse(toJsonText(message, fromBinary(message, body as Uint8Array))), {
        ...JSON.parse(loggedEvent(type).json),
      });
    });
  }

  it('write the recorded bytes of protobuf', async () => {
    const { body } = await marshal(loggedEvent('ack'), 'PROTOBUF', names);
    assert.equal(
      Buffer.from(body).toString('hex'),
      '0807120a677265656e686f7573651a06736f696c2d3122080a1b2c3d4e5f60712801300c3a0d0a047369746512056e6f727468420b08c2cbfc9f06108094ef3a',
    );
  });

  it('omit empty fields from the JSON of version 3', async () => {
    const bare = JSON.parse(String(await text('up', { rxInfo: [], objectJSON: '', tags: {}, data: null }))) as object;
    assert.deepEqual(
      Object.keys(bare).filter((name) => ['rxInfo', 'object', 'tags'].includes(name)),
      [],
    );
    assert.equal((bare as { data: unknown }).data, null);
    assert.doesNotMatch(String(await text('error', { fCnt: 0 })), /fCnt/);
  });

  it('write gateways without name, time or location in the JSON of version 3', async () => {
    const rxInfo = [{ ...sampleRXInfo, gatewayID: 'AQIDBAUGBwg=', time: '2023-03-01T10:15:30.1Z', location: null }];
    const {
      rxInfo: [one],
    } = JSON.parse(String(await text('up', { rxInfo }))) as { rxInfo: object[] };
    assert.equal(
      JSON.stringify(one),
      '{"gatewayID":"0102030405060708","uplinkID":"00010203-0405-0607-0809-0a0b0c0d0e0f","name":"","time":"2023-03-01T10:15:30.1Z","rssi":-61,"loRaSNR":8.5,"location":null}',
    );
  });

  it('add the id of the event on request', async () => {
    const withEventID = createMarshal({ withEventID: true });
    const event = loggedEvent('ack');
    for (const marshaler of ['JSON', 'JSON_V3'] as const) {
      const given = JSON.parse(String((await withEventID(event, marshaler, names)).body)) as object;
      const bare = JSON.parse(String((await marshal(event, marshaler, names)).body)) as object;
      assert.deepEqual(given, { ...bare, eventID: event.id });
    }
    const { body } = await withEventID(event, 'PROTOBUF', names);
    const bytes = Buffer.from(body as Uint8Array);
    const plain = Buffer.from((await marshal(event, 'PROTOBUF', names)).body as Uint8Array);
    assert.deepEqual(bytes.subarray(0, plain.length), plain);
    assert.equal(bytes.subarray(plain.length).toString('hex'), `c23e21${Buffer.from(event.id).toString('hex')}`);
    const known = fromBinary(eventMessages.ack, body as Uint8Array);
    assert.equal(known.fCnt, 12, 'who does not know the field reads the rest');
  });
});
