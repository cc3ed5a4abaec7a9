/**
 * Tests with the message classes of the published client package. Those of version 3 cannot be loaded in the same
 * process.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import v4 from 'chirpstack-api-v4/gw/gw_pb.js';
import durations from 'google-protobuf/google/protobuf/duration_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { writeBridgeConfiguration, writeBridgeDownlink } from './bridge.ts';
import { answer, channels, gatewayID, phyPayload, read, readUp, received } from './testing/samples.ts';

const format = { version: 4, encoding: 'protobuf' } as const;

function duration(seconds: number, nanos = 0) {
  const one = new durations.Duration();
  one.setSeconds(seconds);
  one.setNanos(nanos);
  return one;
}

it('reads an uplink, to the nanosecond', () => {
  const lora = new v4.LoraModulationInfo();
  lora.setBandwidth(125_000);
  lora.setSpreadingFactor(7);
  lora.setCodeRate(v4.CodeRate.CR_4_5);
  const modulation = new v4.Modulation();
  modulation.setLora(lora);
  const tx = new v4.UplinkTxInfo();
  tx.setFrequency(868_100_000);
  tx.setModulation(modulation);
  const rx = new v4.UplinkRxInfo();
  rx.setGatewayId(gatewayID);
  rx.setUplinkId(77);
  rx.setGwTime(timestamps.Timestamp.fromDate(new Date(Date.UTC(2026, 0, 2, 3, 4, 5))));
  rx.setTimeSinceGpsEpoch(duration(1_300_000_000));
  rx.setFineTimeSinceGpsEpoch(duration(1_300_000_000, 123_456_789));
  rx.setRssi(-60);
  rx.setSnr(7);
  rx.setChannel(2);
  rx.setRfChain(1);
  rx.setBoard(1);
  rx.setAntenna(1);
  rx.setContext(Uint8Array.of(1, 2, 3, 4));
  rx.setCrcStatus(v4.CRCStatus.CRC_OK);
  const frame = new v4.UplinkFrame();
  frame.setPhyPayload(phyPayload);
  frame.setTxInfo(tx);
  frame.setRxInfo(rx);
  const message = readUp(frame.serializeBinary());
  const { plainFineTimestamp, ...rest } = message.frame.rxInfo!;
  assert.equal(plainFineTimestamp?.time?.getTime(), Date.UTC(1980, 0, 6) + 1_300_000_000_123 - 18_000);
  assert.equal(plainFineTimestamp?.time?.nanoseconds, 456_789);
  assert.equal(rest.fineTimestampType, 'PLAIN');
  assert.deepEqual({ ...message.frame, rxInfo: { ...rest, fineTimestampType: 'NONE' } }, received);
  assert.deepEqual(message.format, format);
});

it('writes a downlink', () => {
  const written = v4.DownlinkFrame.deserializeBinary(writeBridgeDownlink(format, answer)).toObject();
  assert.equal(written.gatewayId, gatewayID);
  assert.equal(written.downlinkId, 0xa1b2c3d4);
  const [first, second] = written.itemsList;
  assert.deepEqual(first?.txInfo?.modulation?.lora, {
    bandwidth: 125_000,
    spreadingFactor: 7,
    codeRate: v4.CodeRate.CR_4_5,
    codeRateLegacy: '',
    polarizationInversion: true,
    preamble: 0,
    noCrc: false,
  });
  assert.deepEqual(first?.txInfo?.timing?.delay, { delay: { seconds: 1, nanos: 0 } });
  assert.equal(Buffer.from(first?.txInfo?.context as string, 'base64').toString('hex'), '01020304');
  assert.deepEqual(second?.txInfo?.timing?.gpsEpoch, {
    timeSinceGpsEpoch: { seconds: 1_300_000_000, nanos: 128_000_000 },
  });
  assert.equal(second?.txInfo?.modulation?.fsk?.datarate, 50_000);
});

it('reads TX acknowledgements', () => {
  const item = new v4.DownlinkTxAckItem();
  item.setStatus(v4.TxAckStatus.DUTY_CYCLE_OVERFLOW);
  const ack = new v4.DownlinkTxAck();
  ack.setGatewayId(gatewayID);
  ack.setDownlinkId(0xa1b2c3d4);
  ack.setItemsList([item]);
  const message = read('event/ack', ack.serializeBinary());
  assert.equal(message.name, 'ack');
  assert.equal(message.ack.downlinkID.toHex(), 'a1b2c3d4');
  assert.deepEqual(message.ack.items, [{ status: 'INTERNAL_ERROR' }]);
});

it('reads statistics and connection states', () => {
  const stats = new v4.GatewayStats();
  stats.setGatewayId(gatewayID);
  stats.setRxPacketsReceivedOk(5);
  stats.getMetadataMap().set('concentratord_version', '4');
  const message = read('event/stats', stats.serializeBinary());
  assert.equal(message.name, 'stats');
  assert.equal(message.stats.gatewayID.toHex(), gatewayID);
  assert.equal(message.stats.rxPacketsReceivedOK, 5);
  assert.deepEqual(message.stats.metaData, { concentratord_version: '4' });
  const state = new v4.ConnState();
  state.setGatewayId(gatewayID);
  state.setState(v4.ConnState.State.OFFLINE);
  assert.deepEqual(read('state/conn', state.serializeBinary()), { name: 'conn', format, isOnline: false });
});

it('writes a configuration', () => {
  const { GatewayConfiguration } = v4;
  const written = GatewayConfiguration.deserializeBinary(writeBridgeConfiguration(format, channels)).toObject();
  assert.equal(written.gatewayId, gatewayID);
  assert.deepEqual(written.statsInterval, { seconds: 30, nanos: 0 });
  const [loRa, fsk] = written.channelsList;
  assert.deepEqual(loRa?.loraModulationConfig, {
    bandwidthLegacy: 125,
    bandwidth: 125_000,
    spreadingFactorsList: [7, 12],
  });
  assert.deepEqual(fsk?.fskModulationConfig, { bandwidthLegacy: 150, bandwidth: 150_000, bitrate: 50_000 });
});
