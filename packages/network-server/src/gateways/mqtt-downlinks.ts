import type { gw } from '@hilltop/protobuf';
import { create, gw as gateway } from '@hilltop/protobuf';
import type { Clock } from '../platform/runtime.ts';

const rememberMs = 15_000;
const mostRemembered = 100;

/** The downlinks that are with one gateway, until it says what became of them. */
export function createMqttDownlinks(clock: Clock) {
  let sent: { frame: gw.DownlinkFrame; until: number }[] = [];

  return {
    add(frame: gw.DownlinkFrame): void {
      const now = clock.monotonicMs();
      sent = sent.filter(({ until }) => until > now).slice(1 - mostRemembered);
      sent.push({ frame, until: now + rememberMs });
    },
    /**
     * The frame that is meant, with one status for each of its items; undefined when none is. Answers once. Gateways name
     * it by its id, the first four bytes of that, or its token.
     */
    take(ack: gw.DownlinkTXAck): { frame: gw.DownlinkFrame; told: gw.DownlinkTXAck } | undefined {
      const now = clock.monotonicMs();
      const found = sent.find(({ frame, until }) => until > now && isMeant(frame, ack));
      if (!found) return undefined;
      sent = sent.filter((one) => one !== found);
      const { frame } = found;
      const items = frame.items.map((_, index) => ({ status: ack.items[index]?.status ?? ('IGNORED' as const) }));
      const { token, downlinkID, gatewayID } = frame;
      return { frame, told: create(gateway.DownlinkTXAck, { gatewayID, token, downlinkID, items }) };
    },
  };
}

function isMeant({ downlinkID, token }: gw.DownlinkFrame, ack: gw.DownlinkTXAck): boolean {
  const { length } = ack.downlinkID;
  if (length === 0) return ack.token === token;
  return (length === 4 || length === downlinkID.length) && ack.downlinkID.every((byte, at) => byte === downlinkID[at]);
}
