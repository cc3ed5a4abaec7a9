import { countRefusal, macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.6: the extra channels that a device accepted; frequency 0 removed one. They are enabled at once. */
export const newChannelAns = macRule<'NewChannelAns', 'NewChannelReq'>({
  receives: 'NewChannelAns',
  answers: 'NewChannelReq',
  handle(block, { session }, requests) {
    if (block.length !== requests.length) return {};
    requests.forEach(({ cid, payload: { chIndex, freq, minDR, maxDR } }, place) => {
      const { channelFrequencyOK, dataRateRangeOK } = block[place]?.payload ?? {};
      if (!channelFrequencyOK || !dataRateRangeOK) return countRefusal(session, cid);
      session.extraChannels = session.extraChannels.filter(({ index }) => index !== chIndex);
      session.formerChannels = session.formerChannels.filter(({ index }) => index !== chIndex);
      session.enabledChannels = session.enabledChannels.filter((index) => index !== chIndex);
      delete session.macErrors[cid];
      if (freq === 0) return;
      session.extraChannels.push({ index: chIndex, frequency: freq, minDR, maxDR });
      session.enabledChannels = [...session.enabledChannels, chIndex].sort((a, b) => a - b);
    });
    return {};
  },
});
