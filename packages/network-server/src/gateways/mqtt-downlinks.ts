import type { gw } from '@hilltop/protobuf';
import { create, gw as gateway } from '@hilltop/protobuf';
import type { Clock } from '../platform/runtime.ts';

const rememberMs = 15_000;
const mostRemembered = 100;

/** The downlinks that one gateway has not acknowledged yet. */
export function createMqttDownlinks(clock: Clock) {
  let sent: { frame: gw.DownlinkFrame; until: number }[] = [];

  return {
    add(frame: gw.DownlinkFrame): void {
      const now = clock.monotonicMs();
      sent = sent.filter(({ until }) => until > now).slice(1 - mostRemembered);
      sent.push({ frame, until: now + rememberMs });
    },
    /**
     * The frame of an acknowledgement, once, with one status for each of its items; undefined when there is none.
     * Gateways identify it by its id, the first four bytes of that, or its token.
     */
    take(ack: gw.DownlinkTXAck): { frame: gw.DownlinkFrame; ack: gw.DownlinkTXAck } | undefined {
      const now = clock.monotonicMs();
      const found = sent.find(({ frame, until }) => until > now && isFor(frame, ack));
      if (!found) return undefined;
      sent = sent.filter((downlink) => downlink !== found);
      const { frame } = found;
      const items = frame.items.map((_, index) => ({ status: ack.items[index]?.status ?? ('IGNORED' as const) }));
      const { token, downlinkID, gatewayID } = frame;
      return { frame, ack: create(gateway.DownlinkTXAck, { gatewayID, token, downlinkID, items }) };
    },
  };
}

function isFor({ downlinkID, token }: gw.DownlinkFrame, ack: gw.DownlinkTXAck): boolean {
  const { length } = ack.downlinkID;
  if (length === 0) return ack.token === token;
  return (length === 4 || length === downlinkID.length) && ack.downlinkID.every((byte, at) => byte === downlinkID[at]);
}
