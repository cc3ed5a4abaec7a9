import type { Downlink, DownlinkState } from '@hilltop/contract';

type Tone = 'active' | 'inactive' | 'never' | 'attention';

/** How the states of downlinks are shown. */
export const downlinkStateWords: Record<DownlinkState, { text: string; tone: Tone }> = {
  QUEUED: { text: 'queued', tone: 'never' },
  SENDING: { text: 'sending', tone: 'never' },
  SENT: { text: 'sent', tone: 'active' },
  ACKNOWLEDGED: { text: 'acknowledged', tone: 'active' },
  UNACKNOWLEDGED: { text: 'not acknowledged', tone: 'attention' },
  DROPPED: { text: 'dropped', tone: 'inactive' },
  EXPIRED: { text: 'expired', tone: 'inactive' },
  CANCELED: { text: 'canceled', tone: 'never' },
};

const reasonWords: Record<string, string> = {
  TOO_LARGE: 'too large',
  FLUSHED: 'flushed',
  REJOINED: 'the device joined again',
  SESSION_REPLACED: 'the session ended',
  NO_GATEWAY: 'no gateway connected',
  DUTY_CYCLE: 'duty cycle used up',
};

/** The words of a reason; those of gateways stay as they report them. */
const wordsOf = (reason: string): string => reasonWords[reason] ?? reason;

/** After this time the network server expects no answer of the gateway any more, and withdraws the downlink when asked. */
const answeredWithinMs = 20_000;

/** Whether a downlink was passed to a gateway that has not answered. */
export function isUnanswered({ state, steps }: Pick<Downlink, 'state' | 'steps'>, nowMs: number): boolean {
  return state === 'SENDING' && nowMs - Date.parse(steps.at(-1)?.at ?? '') > answeredWithinMs;
}

/** "dropped: too large"; an unknown state stays as the server wrote it. */
export function stateText({ state, reason }: Pick<Downlink, 'state' | 'reason'>): string {
  const text = downlinkStateWords[state as DownlinkState]?.text ?? state;
  return reason === '' ? text : `${text}: ${wordsOf(reason)}`;
}

export const stateTone = ({ state }: Pick<Downlink, 'state'>): Tone =>
  downlinkStateWords[state as DownlinkState]?.tone ?? 'never';

const stepWords: Record<string, string> = {
  GATEWAY_REFUSED: 'refused by the gateway',
  TOO_LARGE: 'dropped: too large',
  FLUSHED: 'flushed',
  REJOINED: 'dropped: the device joined again',
  SESSION_REPLACED: 'dropped: the session ended',
  NO_GATEWAY: 'no gateway is connected',
  DUTY_CYCLE: 'the gateways have used up their duty cycle',
};

type Step = Downlink['steps'][number];

export function stepText({ step, reason, bytes, limit }: Pick<Step, 'step' | 'reason' | 'bytes' | 'limit'>): string {
  const text = stepWords[step] ?? downlinkStateWords[step as DownlinkState]?.text ?? step;
  const size = step === 'TOO_LARGE' && limit > 0 ? ` (${bytes} of at most ${limit} bytes)` : '';
  return `${text}${size}${reason === '' ? '' : `: ${wordsOf(reason)}`}`;
}

const windowWords: Record<string, string> = { RXC: 'class C', PING_SLOT: 'ping slot' };
export const windowText = (window: string): string => windowWords[window] ?? window;

/** "gateway 0a…, RX1, 868.1 MHz, DR5, FCnt 3, by admin". */
export function stepDetails({ gatewayID, window, frequency, dr, fCnt, by }: Step): string {
  const details = [
    gatewayID && `gateway ${gatewayID}`,
    window && windowText(window),
    frequency > 0 && `${frequency / 1e6} MHz`,
    window && `DR${dr}`,
    `FCnt ${fCnt}`,
    by && `by ${by}`,
  ];
  return details.filter(Boolean).join(', ');
}
