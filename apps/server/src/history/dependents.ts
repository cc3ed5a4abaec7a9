import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { enoughMargin } from '@hilltop/contract/enough-margin';
import { requiredSNR } from '@hilltop/lorawan';
import { unpackNewestFirst } from './block.ts';
import { sealedPosition } from './seal.ts';
import type { HistoryStores } from './stores.ts';

export interface DependentsRequest {
  readonly gatewayID: string;
  /** Events of an earlier device with the DevEUI are not above this position of the log. */
  readonly devices: readonly { readonly devEUI: string; readonly above: number }[];
  /** In milliseconds since 1970. */
  readonly since: number;
}

/** A device that needs the gateway. */
export interface FoundDependent {
  readonly devEUI: string;
  /** That the gateway received. */
  readonly uplinks: number;
  /** The margin in dB of the best reception by another gateway; null: there was none. */
  readonly otherMargin: number | null;
}

export interface FoundDependents {
  readonly devices: readonly FoundDependent[];
  /** Devices whose uplinks do not say which gateways received them. */
  readonly unknown: number;
  readonly isPartial: boolean;
}

interface DeviceReception {
  above: number;
  uplinks: number;
  otherMargin: number;
  hasMetadata: boolean;
  hasUplinks: boolean;
}

interface Uplink {
  readonly rxInfo?: readonly { readonly gatewayID?: string; readonly loRaSNR?: number }[];
  readonly txInfo?: { readonly loRaModulationInfo?: { readonly spreadingFactor?: number } };
}

const devicesPerRead = 100;
const eventsPerRead = 1000;
const mostUplinks = 200_000;

/** Finds devices that would not be received well without a gateway. A device that would is not read any further. */
export async function readDependents(stores: HistoryStores, request: DependentsRequest): Promise<FoundDependents> {
  const { gatewayID, devices, since } = request;
  const own = Uint8Array.fromHex(gatewayID).toBase64();
  const received = new Map<string, DeviceReception>(
    devices.map(({ devEUI, above }) => [
      devEUI,
      { above, uplinks: 0, otherMargin: Number.NEGATIVE_INFINITY, hasMetadata: false, hasUplinks: false },
    ]),
  );
  const budget = { left: mostUplinks };
  await readLog(stores, { since, own, received, budget });
  await readBlocks(stores, { since, own, received, budget });
  const found = [...received].filter(([, one]) => one.uplinks > 0 && one.otherMargin < enoughMargin);
  return {
    devices: found
      .map(([devEUI, { uplinks, otherMargin }]) => ({
        devEUI,
        uplinks,
        otherMargin: Number.isFinite(otherMargin) ? otherMargin : null,
      }))
      .sort((one, other) => (one.otherMargin ?? -100) - (other.otherMargin ?? -100) || other.uplinks - one.uplinks),
    unknown: [...received.values()].filter(({ hasUplinks, hasMetadata }) => hasUplinks && !hasMetadata).length,
    isPartial: budget.left <= 0,
  };
}

interface Reading {
  readonly since: number;
  /** The ID of the gateway, as payloads have it. */
  readonly own: string;
  readonly received: ReadonlyMap<string, DeviceReception>;
  readonly budget: { left: number };
}

/** What is not sealed yet. */
async function readLog(stores: HistoryStores, { since, own, received, budget }: Reading): Promise<void> {
  for (let after = await sealedPosition(stores); budget.left > 0; ) {
    const events = await stores.log
      .selectFrom('event')
      .select(['pos', 'dev_eui', 'at', 'type', 'payload', 'note'])
      .where('pos', '>', after)
      .orderBy('pos')
      .limit(eventsPerRead)
      .execute();
    for (const { pos, dev_eui, at, ...event } of events) {
      const device = received.get(dev_eui);
      if (device && pos > device.above && at >= since) examine(event, { own, device, budget });
    }
    if (events.length < eventsPerRead) return;
    after = events.at(-1)!.pos;
    await yieldToEventLoop();
  }
}

async function readBlocks({ blocks }: HistoryStores, { since, own, received, budget }: Reading): Promise<void> {
  if (!blocks) return;
  const devEUIs = [...received.keys()];
  for (let from = 0; from < devEUIs.length && budget.left > 0; from += devicesPerRead) {
    const rows = await blocks.read
      .selectFrom('event_block')
      .select(['dev_eui', 'from_pos', 'unpacked', 'bytes'])
      .where('dev_eui', 'in', devEUIs.slice(from, from + devicesPerRead))
      .where('to_at', '>=', since)
      .orderBy('dev_eui')
      .orderBy('to_at', 'desc')
      .execute();
    for (const block of rows) {
      const device = received.get(block.dev_eui)!;
      if (block.from_pos <= device.above || device.otherMargin >= enoughMargin) continue;
      for (const event of unpackNewestFirst(block)) {
        if (device.otherMargin >= enoughMargin || event.at < since) break;
        examine(event, { own, device, budget });
      }
    }
    await yieldToEventLoop();
  }
}

function examine(
  { type, payload, note }: { type: string; payload: string; note: string | null },
  { own, device, budget }: Pick<Reading, 'own' | 'budget'> & { device: DeviceReception },
): void {
  if (type !== 'up' || device.otherMargin >= enoughMargin || note?.includes('"simulated":true')) return;
  budget.left -= 1;
  device.hasUplinks = true;
  const { rxInfo = [], txInfo } = JSON.parse(payload) as Uplink;
  if (rxInfo.length === 0) return;
  device.hasMetadata = true;
  const spreadingFactor = txInfo?.loRaModulationInfo?.spreadingFactor ?? 0;
  const least = requiredSNR({ modulation: 'LORA', bandwidth: 125, spreadingFactor });
  for (const { gatewayID, loRaSNR = 0 } of rxInfo) {
    if (gatewayID === own) device.uplinks += 1;
    // FSK has no such limit: what was received counts as received well.
    else device.otherMargin = Math.max(device.otherMargin, least === null ? enoughMargin : loRaSNR - least);
  }
}
