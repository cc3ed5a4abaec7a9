import { linkADRReqPayloads, linkADRReqUnchanged, macCommand, uplinkChannels } from '@hilltop/lorawan';
import { adaptDataRate } from '../adr/adapt.ts';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §5.3: the channels of the network and the settings of ADR, in as few commands as possible. */
export function linkADRReqs(context: DeviceContext) {
  const { network, session } = context;
  const { dr, txPowerIndex, nbTrans } = adaptDataRate(context);
  const isSame = dr === session.dr && txPowerIndex === session.txPowerIndex && nbTrans === session.nbTrans;
  const isADRChange = !isSame || (session.isTxPowerDoubtful && session.adr && !network.settings.disableADR);
  const payloads = channelPayloads(context);
  if (isADRChange && payloads.length === 0) payloads.push(linkADRReqUnchanged(network.region, session.enabledChannels));
  return payloads.map((payload) =>
    macCommand('LinkADRReq', {
      ...payload,
      dataRate: dr,
      txPower: txPowerIndex,
      redundancy: { ...payload.redundancy, nbRep: nbTrans },
    }),
  );
}

function channelPayloads({ network: { region, wanted }, session }: DeviceContext) {
  const { enabledChannels, extraChannels } = session;
  if (wanted.enabledChannels.length === enabledChannels.length) {
    if (wanted.enabledChannels.every((index, place) => index === enabledChannels[place])) return [];
  }
  const known = new Set(uplinkChannels(region, extraChannels).map(({ index }) => index));
  const reachable = wanted.enabledChannels.filter((index) => known.has(index));
  return linkADRReqPayloads(region, enabledChannels, reachable);
}
