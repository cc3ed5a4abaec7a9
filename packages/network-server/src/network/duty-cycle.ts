import { limitedSubBandOf, type Region } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Count } from '../platform/runtime.ts';
import type { Settings } from '../settings/settings.ts';
import type { DutyCycleUse } from './duty-cycle-use.ts';
import { airtimeOfItem } from './frame-airtime.ts';

/** A frame that a gateway could send. */
export interface PossibleFrame {
  /** Hz. */
  frequency: number;
  airtimeUs: number;
}

interface DutyCycleNeeds {
  region: Region;
  dutyCycleUse: DutyCycleUse;
  settings: () => Pick<Settings, 'dutyCycle'>;
  count: Count;
}

const hourUs = 3_600_000_000;

/** The microseconds that frames need in each limited sub-band, of which a gateway sends one. */
type Demand = ReadonlyMap<number, { us: number; limitUs: number }>;

/**
 * Limits how long gateways send in the sub-bands of the region. Everything that a gateway is ordered counts at once, for
 * every window that it may use; what it does not send is given back with its answer.
 */
export class DutyCycle {
  readonly #needs: DutyCycleNeeds;
  /** The minute in which each downlink counts. */
  readonly #minutes = new WeakMap<gw.DownlinkFrame, number>();

  constructor(needs: DutyCycleNeeds) {
    this.#needs = needs;
  }

  get mode(): Settings['dutyCycle'] {
    return this.#needs.settings().dutyCycle;
  }

  /** Whether the gateway may send each of these frames within its limits. */
  fits(gatewayID: string, frames: readonly PossibleFrame[]): boolean {
    return this.#fits(gatewayID, this.#demandOf(frames));
  }

  /**
   * Those of the gateways that may send: within their limits, if there are any. Else none where the limits are kept, and
   * all where they are only watched.
   */
  among<Sender extends { gatewayID: string }>(
    gateways: readonly Sender[],
    frames: readonly PossibleFrame[],
  ): readonly Sender[] {
    if (this.mode === 'OFF') return gateways;
    const within = gateways.filter(({ gatewayID }) => this.fits(gatewayID, frames));
    return within.length > 0 || this.mode === 'KEEP' ? within : gateways;
  }

  /** Counts a downlink that is about to be sent; false: it must not be sent. */
  order(frame: gw.DownlinkFrame): boolean {
    const { dutyCycleUse, count } = this.#needs;
    const gatewayID = frame.gatewayID.toHex();
    const demand = this.#demandOf(framesOf(frame.items));
    if (demand.size === 0) return true;
    if (this.mode !== 'OFF' && !this.#fits(gatewayID, demand)) {
      if (this.mode === 'KEEP') return false;
      count('downlinks_beyond_duty_cycle');
    }
    const minute = dutyCycleUse.minute();
    this.#minutes.set(frame, minute);
    for (const [subBand, { us }] of demand) dutyCycleUse.order({ gatewayID, subBand, minute, us });
    return true;
  }

  /** Gives back what a gateway has not sent of a downlink. `sent`: the item it sent, undefined for none. */
  settle(frame: gw.DownlinkFrame, sent: gw.DownlinkFrameItem | undefined): void {
    const minute = this.#minutes.get(frame);
    if (minute === undefined) return;
    this.#minutes.delete(frame);
    const gatewayID = frame.gatewayID.toHex();
    const used = this.#demandOf(framesOf(sent ? [sent] : []));
    for (const [subBand, { us }] of this.#demandOf(framesOf(frame.items))) {
      const unused = us - (used.get(subBand)?.us ?? 0);
      if (unused > 0) this.#needs.dutyCycleUse.order({ gatewayID, subBand, minute, us: -unused });
    }
  }

  #fits(gatewayID: string, demand: Demand): boolean {
    const { dutyCycleUse } = this.#needs;
    return demand.entries().every(([subBand, { us, limitUs }]) => {
      return dutyCycleUse.usedUs(gatewayID, subBand) + us <= limitUs;
    });
  }

  #demandOf(frames: readonly PossibleFrame[]): Demand {
    const demand = new Map<number, { us: number; limitUs: number }>();
    for (const { frequency, airtimeUs } of frames) {
      const subBand = limitedSubBandOf(this.#needs.region, frequency);
      if (!subBand) continue;
      const us = Math.max(demand.get(subBand.from)?.us ?? 0, airtimeUs);
      demand.set(subBand.from, { us, limitUs: subBand.dutyCycle * hourUs });
    }
    return demand;
  }
}

export function framesOf(items: readonly gw.DownlinkFrameItem[]): PossibleFrame[] {
  return items.map((item) => ({ frequency: item.txInfo?.frequency ?? 0, airtimeUs: airtimeOfItem(item) ?? 0 }));
}
