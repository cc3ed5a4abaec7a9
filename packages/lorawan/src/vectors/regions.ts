import assert from 'node:assert/strict';
import { encodeCFList } from '../frame/cf-list.ts';
import { cFListFor } from '../regions/cf-list.ts';
import { channelsAfterLinkADRReq, linkADRReqPayloads } from '../regions/channel-mask.ts';
import { defaultChannelIndexes } from '../regions/channels.ts';
import { pingSlotFrequency } from '../regions/class-b.ts';
import { maxPayloadSize } from '../regions/max-payload.ts';
import { rx1DataRate, rx1Frequency, rx2Defaults } from '../regions/receive-windows.ts';
import { region } from '../regions/registry.ts';
import { type Check, parseRanges } from './vector.ts';

/** Tests of the regional functions. */
export const regionChecks: Record<string, Check> = {
  'region.rx1': ({ params, expect }) => {
    const here = region(params.region);
    const { uplinkDr, rx1DrOffset, downlinkDwell400ms } = params;
    assert.equal(rx1Frequency(here, params.uplinkFrequency), expect.rx1Frequency);
    assert.equal(rx1DataRate(here, uplinkDr, rx1DrOffset, { downlinkDwell: downlinkDwell400ms }), expect.rx1Dr);
  },

  'region.defaults': ({ params, expect }) => {
    assert.deepEqual(rx2Defaults(region(params.region)), { frequency: expect.rx2Frequency, dataRate: expect.rx2Dr });
  },

  'region.pingSlotFrequency': ({ params, expect }) => {
    assert.equal(pingSlotFrequency(region(params.region), params.devAddr, params.beaconTimeSeconds), expect.frequency);
  },

  'region.maxPayload': ({ params, expect }) => {
    const { macVersion, regParamsRevision, dr, repeaterCompatible: repeater, dwellTime400ms: dwell } = params;
    assert.deepEqual(
      maxPayloadSize(region(params.region), macVersion, regParamsRevision, dr, { repeater, dwell }),
      expect,
    );
  },

  'region.cfList': ({ params, expect }) => {
    const here = region(params.region);
    const first = defaultChannelIndexes(here).length;
    const extraChannels = (params.extraChannels ?? []).map((frequency, nth) => ({
      index: first + nth,
      frequency,
      minDR: 0,
      maxDR: 5,
    }));
    const enabledChannels = parseRanges(params.enabledChannels ?? '');
    const cFList = cFListFor(here, { macVersion: params.macVersion, extraChannels, enabledChannels });
    assert.equal(cFList && encodeCFList(cFList).toHex(), expect.cfListHex);
  },

  'region.linkAdrReq': ({ params, expect }) => {
    const here = region(params.region);
    const before = parseRanges(params.deviceEnabledChannels);
    const payloads = linkADRReqPayloads(here, before, parseRanges(params.networkEnabledChannels));
    assert.ok(payloads.length <= Number(expect.maxCommands));
    assert.deepEqual(channelsAfterLinkADRReq(here, before, payloads), parseRanges(String(expect.resultingChannels)));
  },
};
