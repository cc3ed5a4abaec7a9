/** Why a gateway did not send its last ping, by the outcome of the attempt; undefined when it did. */
export function whyNoPing(outcome: string): string | undefined {
  if (outcome === '' || outcome === 'SENT') return undefined;
  return sentences[outcome] ?? `The gateway refused to send it: ${outcome}.`;
}

const sentences: Readonly<Record<string, string>> = {
  BASICS_STATION:
    'LoRa Basics Station cannot send pings. The gateway receives pings of other gateways and appears on their maps.',
  NOT_CONNECTED: 'The gateway was not connected when the ping was due.',
  NO_ANSWER: 'The gateway did not confirm the transmission, and no other gateway received the ping.',
  NOT_SENT: 'The network-server rejected the ping: check the frequency and data-rate of its discovery settings.',
};
