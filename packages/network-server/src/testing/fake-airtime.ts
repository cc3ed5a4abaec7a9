import type { AirtimeObserver, ReceivedAirtime, SentAirtime } from '../ports/airtime.ts';

/** Records all frames that are reported to it. */
export interface FakeAirtime extends AirtimeObserver {
  readonly receivedFrames: ({ gatewayID: string } & ReceivedAirtime)[];
  readonly sentFrames: ({ gatewayID: string } & SentAirtime)[];
}

export function createFakeAirtime(): FakeAirtime {
  const receivedFrames: FakeAirtime['receivedFrames'] = [];
  const sentFrames: FakeAirtime['sentFrames'] = [];
  return {
    receivedFrames,
    sentFrames,
    received: (gatewayID, frame) => void receivedFrames.push({ gatewayID, ...frame }),
    sent: (gatewayID, frame) => void sentFrames.push({ gatewayID, ...frame }),
  };
}
