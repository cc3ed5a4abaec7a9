/**
 * Tests with the message classes of the published client package. Those of version 4 cannot be loaded in the same
 * process.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import v3 from '@chirpstack/chirpstack-api/gw/gw_pb.js';
import durations from 'google-protobuf/google/protobuf/duration_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { writeBridgeConfiguration, writeBridgeDownlink } from './bridge.ts';
import { answer, channels, gatewayID, idBytes, phyPayload, read, readUp, received } from './testing/samples.ts';

const format = { version: 3, encoding: 'protobuf' } as const;
const hex = (bytes: string | Uint8Array) => Buffer.from(bytes as string, 'base64').toString('hex');

it('reads an uplink', () => {
  const loRa = new v3.LoRaModulationInfo();
  loRa.setBandwidth(125);
  loRa.setSpreadingFactor(7);
  loRa.setCodeRate('4/5');
  const tx = new v3.UplinkTXInfo();
  tx.setFrequency(868_100_000);
  tx.setLoraModulationInfo(loRa);
  const rx = new v3.UplinkRXInfo();
  rx.setGatewayId(idBytes);
  rx.setTime(timestamps.Timestamp.fromDate(new Date(Date.UTC(2026, 0, 2, 3, 4, 5))));
  const since = new durations.Duration();
  since.setSeconds(1_300_000_000);
  rx.setTimeSinceGpsEpoch(since);
  rx.setRssi(-60);
  rx.setLoraSnr(7);
  rx.setChannel(2);
  rx.setRfChain(1);
  rx.setBoard(1);
  rx.setAntenna(1);
  rx.setContext(Uint8Array.of(1, 2, 3, 4));
  rx.setCrcStatus(v3.CRCStatus.CRC_OK);
  const frame = new v3.UplinkFrame();
  frame.setPhyPayload(phyPayload);
  frame.setTxInfo(tx);
  frame.setRxInfo(rx);
  assert.deepEqual(readUp(frame.serializeBinary()), { name: 'up', format, frame: received });
});

it('writes a downlink, also with its first item only', () => {
  const written = v3.DownlinkFrame.deserializeBinary(writeBridgeDownlink(format, answer)).toObject();
  const [first, second] = written.itemsList;
  assert.equal(hex(written.downlinkId), answer.downlinkID.toHex());
  assert.equal(written.token, 0xa1b2);
  assert.equal(hex(written.gatewayId), gatewayID);
  assert.deepEqual(first?.txInfo, written.txInfo);
  assert.equal(first?.phyPayload, written.phyPayload);
  assert.equal(hex(first?.txInfo?.gatewayId ?? ''), gatewayID);
  assert.deepEqual(first?.txInfo?.loraModulationInfo, {
    bandwidth: 125,
    spreadingFactor: 7,
    codeRate: '4/5',
    polarizationInversion: true,
  });
  assert.deepEqual(first?.txInfo?.delayTimingInfo, { delay: { seconds: 1, nanos: 0 } });
  assert.deepEqual(second?.txInfo?.gpsEpochTimingInfo, {
    timeSinceGpsEpoch: { seconds: 1_300_000_000, nanos: 128_000_000 },
  });
  assert.deepEqual(second?.txInfo?.fskModulationInfo, { datarate: 50_000, frequencyDeviation: 25_000 });
});

it('reads TX acknowledgements, also of gateways that send the token only', () => {
  const item = new v3.DownlinkTXAckItem();
  item.setStatus(v3.TxAckStatus.TOO_LATE);
  const ack = new v3.DownlinkTXAck();
  ack.setGatewayId(idBytes);
  ack.setDownlinkId(answer.downlinkID);
  ack.setItemsList([item]);
  const old = new v3.DownlinkTXAck();
  old.setGatewayId(idBytes);
  old.setToken(0xa1b2);
  old.setError('TOO_EARLY');
  const acks = [ack, old].map((one) => {
    const message = read('event/ack', one.serializeBinary());
    assert.equal(message.name, 'ack');
    const { downlinkID, token, items } = message.ack;
    return [downlinkID.toHex(), token, items.map(({ status }) => status)];
  });
  assert.deepEqual(acks, [
    [answer.downlinkID.toHex(), 0, ['TOO_LATE']],
    ['', 0xa1b2, ['TOO_EARLY']],
  ]);
});

it('reads statistics and connection states', () => {
  const stats = new v3.GatewayStats();
  stats.setGatewayId(idBytes);
  stats.setRxPacketsReceivedOk(5);
  stats.getMetaDataMap().set('concentratord_version', '3');
  const message = read('event/stats', stats.serializeBinary());
  assert.equal(message.name, 'stats');
  assert.equal(message.stats.rxPacketsReceivedOK, 5);
  assert.deepEqual(message.stats.metaData, { concentratord_version: '3' });
  const state = new v3.ConnState();
  state.setGatewayId(idBytes);
  state.setState(v3.ConnState.State.ONLINE);
  assert.deepEqual(read('state/conn', state.serializeBinary()), { name: 'conn', format, isOnline: true });
});

it('writes a configuration', () => {
  const { GatewayConfiguration } = v3;
  const written = GatewayConfiguration.deserializeBinary(writeBridgeConfiguration(format, channels)).toObject();
  assert.equal(written.version, 'abc-1');
  assert.deepEqual(written.statsInterval, { seconds: 30, nanos: 0 });
  assert.deepEqual(written.channelsList[0]?.loraModulationConfig, { bandwidth: 125, spreadingFactorsList: [7, 12] });
  assert.deepEqual(written.channelsList[1]?.fskModulationConfig, { bandwidth: 150, bitrate: 50_000 });
});
