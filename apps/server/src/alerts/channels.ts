import { type AlertChannel, unchangedSecret } from '@hilltop/contract';
import type { Secrets } from '../secrets.ts';

/** Signing secrets by their URL. */
type ChannelSecrets = Readonly<Record<string, string>>;

const purposeOf = (ruleID: string) => `alert_rule.secrets:${ruleID}`;

export function openChannelSecrets(secrets: Secrets, rule: { id: string; secrets: Uint8Array }): ChannelSecrets {
  const plain = secrets.open(rule.secrets, purposeOf(rule.id));
  return plain.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(plain)) as ChannelSecrets);
}

/** Separates the signing secrets from what is stored in plain text. An unchanged secret stays. */
export function splitChannels(
  secrets: Secrets,
  id: string,
  channels: readonly AlertChannel[],
  before: ChannelSecrets,
): { channels: string; secrets: Uint8Array } {
  const parts: Record<string, string> = {};
  for (const { url, secret } of channels) {
    const given = secret === unchangedSecret ? before[url] : secret;
    if (given) parts[url] = given;
  }
  const plain = Object.keys(parts).length === 0 ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(parts));
  return {
    channels: JSON.stringify(channels.map((channel) => ({ ...channel, secret: '' }))),
    secrets: secrets.seal(plain, purposeOf(id)),
  };
}

/** The channels as the API returns them: instead of a secret, that there is one. */
export function shownChannels(stored: string, secrets: ChannelSecrets): AlertChannel[] {
  return channelsIn(stored).map((channel) => ({ ...channel, secret: secrets[channel.url] ? unchangedSecret : '' }));
}

/** Each receiver gets a message of its own, so that one is tried again without the others, and sees only its own address. */
export const receiversOfChannel = ({ kind, addresses, url }: AlertChannel): readonly string[] =>
  kind === 'EMAIL' ? addresses : [url];

export const channelsIn = (stored: string): AlertChannel[] => JSON.parse(stored) as AlertChannel[];
