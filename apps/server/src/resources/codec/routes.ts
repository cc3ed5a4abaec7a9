import type { Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Handlers } from '../../http/call.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { RetryLater } from '../../retry-later.ts';
import { ownerOf, runCodec } from './run.ts';

interface CodecRunDependencies extends ThrottleDependencies {
  clock: Clock;
  codecs: PayloadCodecs;
}

const callsPerSecond = 10;

/** Runs codecs that are not saved. */
export function codecRunRoutes(needs: CodecRunDependencies): Handlers<Operations['codecRun']> {
  const throttle = createSharedThrottle(needs, 'codec-runs', callsPerSecond * 60, callsPerSecond);
  return {
    create: async ({ codec, encoderScript, decoderScript, variables, runs }, { principal }) => {
      const owner = ownerOf(principal);
      const seconds = await throttle.take(owner);
      if (seconds > 0) throw new RetryLater(seconds, 'codec runs');
      const context = { owner, variables, now: needs.clock.now() };
      return { results: await runCodec(needs.codecs, { codec, encoderScript, decoderScript }, runs, context) };
    },
  };
}
