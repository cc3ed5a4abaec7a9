import { channelsAfterLinkADRReq, uplinkChannels } from '@hilltop/lorawan';
import { countRefusal, macRule } from './rule.ts';

/**
 * LoRaWAN 1.0.4 §5.3: a block of LinkADRReq takes effect only when the device accepts all of it. A device with ADR off
 * may accept the channel mask alone.
 */
export const linkADRAns = macRule<'LinkADRAns', 'LinkADRReq'>({
  receives: 'LinkADRAns',
  answers: 'LinkADRReq',
  handle(block, { network, session }, requests) {
    const last = requests.at(-1);
    if (!last) return {};
    const { dataRate, txPower, redundancy } = last.payload;
    const isMaskTaken = block.every(({ payload }) => payload.channelMaskAck);
    const isDataRateTaken = block.every(({ payload }) => payload.dataRateAck);
    const isPowerTaken = block.every(({ payload }) => payload.powerAck);
    const isTaken = isMaskTaken && isDataRateTaken && isPowerTaken;

    if (isTaken || (isMaskTaken && !session.adr)) {
      const before = [session.dr, session.txPowerIndex, session.nbTrans];
      const known = uplinkChannels(network.region, session.extraChannels).map(({ index }) => index);
      const payloads = requests.map(({ payload }) => payload);
      session.enabledChannels = channelsAfterLinkADRReq(network.region, session.enabledChannels, payloads, known);
      if (redundancy.nbRep > 0) session.nbTrans = redundancy.nbRep;
      if (isDataRateTaken) session.dr = dataRate;
      if (isPowerTaken) {
        session.txPowerIndex = txPower;
        session.isTxPowerDoubtful = false;
      }
      if (isTaken) delete session.macErrors[last.cid];
      const isChanged = [session.dr, session.txPowerIndex, session.nbTrans].some((now, place) => now !== before[place]);
      // SNR and loss under other settings do not apply to these.
      if (isChanged) session.uplinkHistory = [];
      return {};
    }
    countRefusal(session, last.cid);
    if (!isPowerTaken && txPower === 0) {
      session.txPowerIndex = 1;
      session.lowestTxPowerIndex = 1;
    } else if (!isPowerTaken) session.highestTxPowerIndex = txPower - 1;
    return {};
  },
});
