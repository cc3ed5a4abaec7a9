import type { Clock } from '../platform/runtime.ts';
import type { Settings } from '../settings/settings.ts';

/** How many milliseconds the clock of each gateway was ahead of ours when it last sent a time. */
export interface GatewayClocks {
  note(gatewayID: string, time: Date): void;
  offsetOf(gatewayID: string): number | undefined;
}

const mostGateways = 10_000;

export function createGatewayClocks(clock: Clock): GatewayClocks {
  const offsets = new Map<string, number>();
  return {
    note(gatewayID, time) {
      const [oldest] = offsets.keys();
      if (offsets.size >= mostGateways && oldest !== undefined && !offsets.has(gatewayID)) offsets.delete(oldest);
      offsets.set(gatewayID, time.getTime() - clock.now().getTime());
    },
    offsetOf: (gatewayID) => offsets.get(gatewayID),
  };
}

/** Whether the settings allow a clock to be that far from ours. */
export function isClockRight({ settings }: { settings: Settings }, offsetMs: number): boolean {
  return Math.abs(offsetMs) <= settings.gatewayClockToleranceMs;
}
