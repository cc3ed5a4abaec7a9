import { useNow } from '../../components/last-seen/last-seen.tsx';
import { gatewayTone, toneWords } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';

/** Online, offline or never seen. */
export function GatewayState({ lastSeenAt }: { lastSeenAt: string | null }) {
  const tone = gatewayTone(lastSeenAt, useNow());
  return <Status tone={tone}>{toneWords[tone]}</Status>;
}
