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
    encode(frame: gw.DownlinkFrame, rates: StationRates): string | null {
      last = (last + 1) % diids;
      const dnmsg = dnmsgOf(frame, { rates, diid: last, muxTime: clock.now().getTime() / 1000 });
      if (!dnmsg) return null;
      sent.set(String(last), { frame, items: dnmsg.items });
      forgetting.add(String(last));
      return dnmsg.text;
    },
    /**
     * Reports OK for the window with that frequency (Hz), or the first if it names none; null: the downlink is unknown.
     */
    acknowledge(diid: string, frequency: number | null): gw.DownlinkTXAck | null {
      const downlink = sent.get(diid);
      if (!downlink) return null;
      sent.delete(diid);
      const { downlinkID, token, gatewayID, items } = downlink.frame;
      const sentIndex = downlink.items.find((index) => items[index]?.txInfo?.frequency === frequency) ?? 0;
      const statuses = items.map((_, index) => ({
        status: index === sentIndex ? ('OK' as const) : ('IGNORED' as const),
      }));
      return create(gw.DownlinkTXAck, { gatewayID, token, downlinkID, items: statuses });
    },
    forget: () => forgetting.clear(),
  };
}
