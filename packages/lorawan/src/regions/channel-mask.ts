import type { MacPayload } from '../mac-commands/registry.ts';
import { defaultChannelIndexes } from './channels.ts';
import type { Region } from './region.ts';

/** Channel masks of LinkADRReq: which channels a device may use, sixteen at a time (LoRaWAN Regional Parameters, ChMaskCntl tables). */

export type LinkADRReqPayload = MacPayload<'LinkADRReq'>;

const blockSize = 16;

/**
 * The fewest LinkADRReq payloads that change a device from its enabled channels to those of the network, which must be
 * channels of the device. Data-rate, power and nbRep are 0; the caller sets them in all payloads. Empty when nothing
 * must change.
 */
export function linkADRReqPayloads(
  region: Region,
  deviceChannels: readonly number[],
  networkChannels: readonly number[],
): LinkADRReqPayload[] {
  const wanted = new Set(networkChannels);
  const starts: Start[] = [{ payloads: [], result: new Set(deviceChannels) }, ...wideStarts(region, wanted)];
  const plans = starts.map(({ payloads, result }) => [
    ...payloads,
    ...blocksOf(region)
      .filter((block) => differs(block, result, wanted))
      .map((block) => payload(block, wanted)),
  ]);
  return plans.reduce((best, plan) => (plan.length < best.length ? plan : best));
}

/** One payload that repeats the first enabled block, for a new data-rate or power without a change of channels. */
export function linkADRReqUnchanged(region: Region, deviceChannels: readonly number[]): LinkADRReqPayload {
  const enabled = new Set(deviceChannels);
  const block = blocksOf(region).find((candidate) => channelsOf(candidate).some((index) => enabled.has(index))) ?? 0;
  return payload(block, enabled);
}

/**
 * The enabled channels after a device applied these payloads in order. `knownChannels`: all defined ones, default and
 * extra.
 */
export function channelsAfterLinkADRReq(
  region: Region,
  deviceChannels: readonly number[],
  payloads: readonly LinkADRReqPayload[],
  knownChannels: readonly number[] = defaultChannelIndexes(region),
): number[] {
  const known = new Set([...knownChannels, ...deviceChannels]);
  const enabled = new Set(deviceChannels);
  for (const { chMask, redundancy } of payloads) {
    for (const [index, isOn] of switched(region, redundancy.chMaskCntl, chMask)) {
      if (isOn && known.has(index)) enabled.add(index);
      else enabled.delete(index);
    }
  }
  return [...enabled].sort((left, right) => left - right);
}

/** The effect of one payload: [channel, on or off] pairs. A reserved ChMaskCntl has none. */
function switched(region: Region, chMaskCntl: number, chMask: readonly boolean[]): [number, boolean][] {
  const defaults = defaultChannelIndexes(region);
  const masked = (first: number): [number, boolean][] => chMask.map((isOn, bit) => [first + bit, isOn]);
  if (region.channelPlan === 'dynamic') {
    if (chMaskCntl === 0) return masked(0);
    return chMaskCntl === 6 ? Array.from({ length: region.maxUplinkChannels }, (_, index) => [index, true]) : [];
  }
  if (chMaskCntl < blocksOf(region).length) return masked(chMaskCntl * blockSize);
  if (!hasWideChannels(region)) return chMaskCntl === 6 ? defaults.map((index) => [index, true]) : [];
  if (chMaskCntl === 5) {
    return chMask
      .slice(0, 8)
      .flatMap((isOn, bank) => [...range(bank * 8, 8), wideAt + bank].map((index): [number, boolean] => [index, isOn]));
  }
  if (chMaskCntl !== 6 && chMaskCntl !== 7) return [];
  return [...range(0, wideAt).map((index): [number, boolean] => [index, chMaskCntl === 6]), ...masked(wideAt)];
}

/** The first payloads, and the channels that are enabled after them. */
interface Start {
  payloads: LinkADRReqPayload[];
  result: ReadonlySet<number>;
}

/** In plans of 64 narrow and 8 wide channels ChMaskCntl 6 and 7 switch all narrow ones on or off and mask the wide ones. */
function wideStarts(region: Region, wanted: ReadonlySet<number>): Start[] {
  if (!hasWideChannels(region)) return [];
  const wide = channelsOf(wideBlock).filter((index) => wanted.has(index));
  return [6, 7].map((chMaskCntl) => ({
    payloads: [payload(wideBlock, wanted, chMaskCntl)],
    result: new Set([...(chMaskCntl === 6 ? range(0, wideAt) : []), ...wide]),
  }));
}

const wideAt = 64;
const wideBlock = 4;

function hasWideChannels(region: Region): boolean {
  return region.channelPlan === 'fixed' && region.maxUplinkChannels === 72;
}

function blocksOf(region: Region): number[] {
  return range(0, region.channelPlan === 'dynamic' ? 1 : Math.ceil(region.maxUplinkChannels / blockSize));
}

function channelsOf(block: number): number[] {
  return range(block * blockSize, blockSize);
}

function differs(block: number, left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  for (let index = block * blockSize; index < (block + 1) * blockSize; index += 1)
    if (left.has(index) !== right.has(index)) return true;
  return false;
}

function payload(block: number, wanted: ReadonlySet<number>, chMaskCntl = block): LinkADRReqPayload {
  const chMask = channelsOf(block).map((index) => wanted.has(index));
  return { dataRate: 0, txPower: 0, chMask, redundancy: { chMaskCntl, nbRep: 0 } };
}

function range(first: number, count: number): number[] {
  const numbers: number[] = [];
  for (let number = first; number < first + count; number += 1) numbers.push(number);
  return numbers;
}
