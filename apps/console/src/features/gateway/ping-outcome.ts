/** Why a gateway did not send its last ping, by the outcome of the attempt; undefined when it did. */
export function whyNoPing(outcome: string): string | undefined {
  if (outcome === '' || outcome === 'SENT') return undefined;
  return sentences[outcome] ?? `The gateway refused to send it: ${outcome}.`;
}

const sentences: Readonly<Record<string, string>> = {
  BASICS_STATION:
    'It is connected by LoRa Basics Station, which sends only what devices can hear. It receives the pings of other gateways, and is shown on their maps.',
  NOT_CONNECTED: 'The gateway was not connected when it had its turn.',
  NO_ANSWER: 'The gateway did not say whether it sent it, and no other gateway heard it.',
  NOT_SENT: 'The network-server did not take it: the frequency or data-rate of its discovery settings may be wrong.',
};
