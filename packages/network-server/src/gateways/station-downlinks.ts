import { dnmsgOf, type StationRates } from '@hilltop/gateway-protocols';
import { create, gw } from '@hilltop/protobuf';
import { createDelayQueue } from '../platform/delay-queue.ts';
import type { Clock } from '../platform/runtime.ts';

const rememberMs = 60_000;
const diids = 2 ** 31;

/**
 * Downlinks that wait for their `dntxed`. A station does not report failures: a downlink without an answer is forgotten
 * after a minute.
 */
export function createStationDownlinks(clock: Clock) {
  const sent = new Map<string, { frame: gw.DownlinkFrame; items: readonly number[] }>();
  const forgetting = createDelayQueue<string>(
    clock,
    () => rememberMs,
    (diid) => sent.delete(diid),
  );
  let last = 0;

  return {
    /** The message for a downlink; null when the station cannot send it. */
    say(frame: gw.DownlinkFrame, rates: StationRates): string | null {
      last = (last + 1) % diids;
      const dnmsg = dnmsgOf(frame, { rates, diid: last, muxTime: clock.now().getTime() / 1000 });
      if (!dnmsg) return null;
      sent.set(String(last), { frame, items: dnmsg.items });
      forgetting.add(String(last));
      return dnmsg.text;
    },
    /** Everything is OK with the window on that frequency (Hz), the first if it names none; null: nothing is known. */
    acknowledge(diid: string, frequency: number | null): gw.DownlinkTXAck | null {
      const one = sent.get(diid);
      if (!one) return null;
      sent.delete(diid);
      const { downlinkID, token, gatewayID, items } = one.frame;
      const told = one.items.find((place) => items[place]?.txInfo?.frequency === frequency) ?? 0;
      const statuses = items.map((_, place) => ({ status: place === told ? ('OK' as const) : ('IGNORED' as const) }));
      return create(gw.DownlinkTXAck, { gatewayID, token, downlinkID, items: statuses });
    },
    forget: () => forgetting.clear(),
  };
}
