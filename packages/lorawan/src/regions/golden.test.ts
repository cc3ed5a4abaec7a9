import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Modulation } from '../airtime.ts';
import { defaultDownlinkChannels, defaultUplinkChannels } from './channels.ts';
import { dataRateOf } from './data-rates.ts';
import { maxPayloadSize } from './max-payload.ts';
import { downlinkTxPower, hasTxParamSetup } from './radio.ts';
import { rx1DataRate, rx1Frequency } from './receive-windows.ts';
import type { Region } from './region.ts';
import { region, regions } from './registry.ts';

/** Each region must answer as its golden file, which lists the regional parameters in another form than our records. */
interface Golden {
  name: string;
  aliases: string[];
  frequencyRangeHz: number[];
  channelPlan: string;
  maxUplinkChannels: number;
  cfListType: number;
  dataRates: Record<string, GoldenDataRate>;
  maxAdrDataRate: number;
  maxPayload: { tables: Record<string, SizeTable>; lookup: Record<string, string | TableNames> };
  txPowerOffsetsDb: number[];
  maxEirpDbm: number;
  downlinkTxPower: { v3ConductedLike: { fromHz?: number; toHzExclusive?: number; dBm: number }[] };
  uplinkChannels: GoldenRun[];
  downlinkChannels: GoldenRun[];
  rx1ChannelRule: 'same' | 'mod8' | 'mod48';
  rx1DataRate: { tables: Record<string, Record<string, number[]>> };
  rx2: { frequency: number; dr: number };
  beacon: { dr: number; frequencies: number[]; layout: number[] };
  pingSlot: { defaultDr: number; frequencies: number[] };
  txParamSetup: Record<string, boolean>;
  basicsStationRegion?: string;
}

type SizeTable = Record<string, [number, number]>;
/** Table name by MAC version and revision. */
type TableNames = Record<string, Record<string, string>>;

interface GoldenDataRate {
  modulation: Modulation['modulation'];
  spreadingFactor: number;
  bandwidthKHz: number;
  bitrateBps: number;
  occupiedChannelWidthHz: number;
  codingRate: string;
  gatewayCodr?: string;
  uplink: boolean;
  downlink: boolean;
}

interface GoldenRun {
  firstIndex: number;
  count: number;
  firstFrequency: number;
  step?: number;
  minDR: number;
  maxDR: number;
}

for (const here of regions) {
  const golden = JSON.parse(
    readFileSync(new URL(`golden/${here.name.toLowerCase()}.json`, import.meta.url), 'utf8'),
  ) as Golden;

  describe(here.name, () => {
    it('is found by its names', () => {
      for (const name of [golden.name, ...golden.aliases]) assert.equal(region(name), here);
    });

    it('has the plain facts', () => {
      assert.deepEqual(here.frequencyRange, golden.frequencyRangeHz);
      assert.equal(here.channelPlan, golden.channelPlan);
      assert.equal(here.maxUplinkChannels, golden.maxUplinkChannels);
      assert.equal(here.cFListType, golden.cfListType);
      assert.equal(here.maxADRDataRate, golden.maxAdrDataRate);
      assert.deepEqual(here.txPowerOffsets, golden.txPowerOffsetsDb);
      assert.equal(here.maxEIRP, golden.maxEirpDbm);
      assert.deepEqual(here.rx2, { frequency: golden.rx2.frequency, dataRate: golden.rx2.dr });
      const { dr, frequencies, layout } = golden.beacon;
      assert.deepEqual(here.beacon, { dataRate: dr, frequencies, layout });
      assert.deepEqual(here.pingSlot, {
        dataRate: golden.pingSlot.defaultDr,
        frequencies: golden.pingSlot.frequencies,
      });
      for (const [version, isUsed] of Object.entries(golden.txParamSetup)) {
        assert.equal(hasTxParamSetup(here, version), isUsed, version);
      }
      assert.equal(here.basicsStationRegion, golden.basicsStationRegion ?? golden.name);
    });

    it('finds each data-rate by its modulation', () => {
      assert.deepEqual(Object.keys(here.dataRates), Object.keys(golden.dataRates));
      for (const [index, dataRate] of Object.entries(golden.dataRates)) {
        for (const modulation of spellings(dataRate)) {
          assert.equal(dataRateOf(here, modulation, 'up') === Number(index), dataRate.uplink, `uplink ${index}`);
          assert.equal(dataRateOf(here, modulation, 'down') === Number(index), dataRate.downlink, `downlink ${index}`);
        }
      }
    });

    it('has the channels', () => {
      assert.deepEqual(defaultUplinkChannels(here), channelsOf(golden.uplinkChannels));
      assert.deepEqual(defaultDownlinkChannels(here), channelsOf(golden.downlinkChannels));
    });

    it('answers in RX1 on the right frequency', () => {
      const downlinks = channelsOf(golden.downlinkChannels);
      for (const { index, frequency } of channelsOf(golden.uplinkChannels)) {
        const modulo = { same: null, mod8: 8, mod48: 48 }[golden.rx1ChannelRule];
        assert.equal(rx1Frequency(here, frequency), modulo ? downlinks[index % modulo]!.frequency : frequency);
      }
    });

    it('answers in RX1 with the right data-rate', () => {
      for (const [name, rows] of Object.entries(golden.rx1DataRate.tables)) expectRX1Table(here, name, rows);
    });

    it('limits payloads', () => {
      for (const [mode, names] of Object.entries(golden.maxPayload.lookup)) {
        const tables = (typeof names === 'string' ? golden.maxPayload.lookup[names] : names) as TableNames;
        const options = { repeater: mode.startsWith('repeater'), dwell: mode.endsWith('Dwell400ms') };
        for (const [version, byRevision] of Object.entries(tables)) {
          for (const [revision, table] of Object.entries(byRevision)) {
            for (let dataRate = 0; dataRate < 16; dataRate++) {
              const [m, n] = golden.maxPayload.tables[table]![dataRate] ?? [];
              const expected = m === undefined ? null : { m, n };
              assert.deepEqual(
                maxPayloadSize(here, version, revision, dataRate, options),
                expected,
                `${mode} ${version} ${revision} ${dataRate}`,
              );
            }
          }
        }
      }
    });

    it('gives unknown versions and revisions the newest payload limits', () => {
      const newest = maxPayloadSize(here, '1.0.4', 'RP002-1.0.3', 0);
      assert.deepEqual(maxPayloadSize(here, '1.0.5', 'RP002-1.0.9', 0), newest);
    });

    it('sends with the right power', () => {
      const rules = golden.downlinkTxPower.v3ConductedLike;
      const otherwise = rules.at(-1)!.dBm;
      assert.equal(downlinkTxPower(here, golden.frequencyRangeHz[0]!), otherwise);
      for (const { fromHz, toHzExclusive, dBm } of rules) {
        if (fromHz === undefined || toHzExclusive === undefined) continue;
        assert.equal(downlinkTxPower(here, fromHz), dBm);
        assert.equal(downlinkTxPower(here, toHzExclusive - 1), dBm);
        assert.equal(downlinkTxPower(here, toHzExclusive), otherwise);
      }
    });
  });
}

/** Table names: "all", or a family, a slash and the dwell time that the table holds for. */
function expectRX1Table(here: Region, name: string, rows: Record<string, number[]>): void {
  const families = name === 'all' ? ['A', 'RP002-1.0.3'] : [name.startsWith('RP1') ? 'B' : 'RP002-1.0.1'];
  const dwells = name === 'all' ? [false, true] : [name.includes('dwell')];
  for (const regParamsRevision of families) {
    for (const downlinkDwell of dwells) {
      for (let uplink = 0; uplink < 16; uplink++) {
        for (let offset = 0; offset < 8; offset++) {
          const expected = rows[uplink]?.[offset] ?? null;
          assert.equal(
            rx1DataRate(here, uplink, offset, { downlinkDwell, regParamsRevision }),
            expected,
            `${name} ${uplink} ${offset}`,
          );
        }
      }
    }
  }
}

function channelsOf(runs: GoldenRun[]) {
  return runs.flatMap(({ firstIndex, count, firstFrequency, step = 0, minDR, maxDR }) =>
    Array.from({ length: count }, (_, nth) => ({
      index: firstIndex + nth,
      frequency: firstFrequency + step * nth,
      minDR,
      maxDR,
    })),
  );
}

function spellings(dataRate: GoldenDataRate): Modulation[] {
  const { modulation, bandwidthKHz, spreadingFactor, bitrateBps, occupiedChannelWidthHz, codingRate } = dataRate;
  if (modulation === 'LORA') return [{ modulation, bandwidth: bandwidthKHz, spreadingFactor }];
  if (modulation === 'FSK') return [{ modulation, datarate: bitrateBps }];
  return [codingRate, dataRate.gatewayCodr ?? codingRate].map((codeRate) => ({
    modulation,
    operatingChannelWidth: occupiedChannelWidthHz,
    codeRate,
  }));
}
