/** Reports downlinks for which the `as` service has no call: join-accepts, acknowledgements and MAC commands. */
import { type DataFrame, decodeFrame, decodeMacCommands, isDataFrame, joinAcceptDelays } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { noteSentCommands } from '../mac/note.ts';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission, SentData } from '../network/transmissions.ts';
import type { FrameReport, MacCommandNote } from '../ports/application-server.ts';
import type { ReceiveWindowName } from '../ports/downlink-reports.ts';
import type { Effect } from '../state/effect.ts';

/** The MAC commands of a frame in plain text. */
export function commandsIn({ clear }: DeviceTransmission, sent: number): MacCommandNote[] {
  const phyPayload = clear[sent];
  const frame = phyPayload && decodeFrame(phyPayload);
  return frame && isDataFrame(frame) ? noteSentCommands(decodeMacCommands('down', streamOf(frame))) : [];
}

const streamOf = ({ fPort, fOpts, frmPayload }: DataFrame): Uint8Array => (fPort === 0 ? frmPayload : fOpts);

/** Reports a frame without application data that a gateway has sent. */
export async function reportSentFrame(
  network: Network,
  transmission: DeviceTransmission,
  sent: number,
): Promise<Effect[]> {
  const { devEUI, frame: downlink, devAddr, clear, data } = transmission;
  const item = downlink.items[sent];
  if (!item?.txInfo) return [];
  const frame = clear[sent] && decodeFrame(clear[sent]);
  const isData = frame !== null && frame !== undefined && isDataFrame(frame);
  const report: FrameReport = {
    devEUI,
    leftOut: 0,
    frame: {
      direction: 'down',
      mType: isData ? frame.mType : 'JoinAccept',
      devAddr,
      ...(isData && { ack: frame.fCtrl.ack }),
      gatewayID: downlink.gatewayID.toHex(),
      ...(data[sent] ? sentIn(data[sent]) : { window: windowOfJoinAccept(item.txInfo) }),
      frequency: item.txInfo.frequency,
    },
    mac: commandsIn(transmission, sent),
  };
  return await effectOf(network, network.applicationServer.reportFrame(report), devEUI);
}

const sentIn = ({ fCnt, window, dr }: SentData) => ({ fCnt, window, dr });

const windowOfJoinAccept = ({ delayTimingInfo }: gw.DownlinkTXInfo): ReceiveWindowName =>
  delayTimingInfo?.delay === joinAcceptDelays.rx1 * 1000 ? 'RX1' : 'RX2';
