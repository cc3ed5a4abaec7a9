/** Reports downlinks for which the `as` service has no call: join-accepts, acknowledgements and MAC commands. */
import { type DataFrame, decodeFrame, decodeMacCommands, isDataFrame, joinAcceptDelays } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import { noteSentCommands } from '../mac/note.ts';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission, SentData } from '../network/transmissions.ts';
import type { FrameReport, LoggedFrame, MacCommandNote, SentDownlink } from '../ports/application-server.ts';
import type { ReceiveWindowName } from '../ports/downlink-reports.ts';
import type { Effect } from '../state/effect.ts';

/** A frame that a gateway has sent, and when the gateway said so. */
export interface SentFrame {
  transmission: DeviceTransmission;
  /** Its position in the transmission. */
  sent: number;
  at: Date;
}

export const sentDownlinkOf = ({ transmission, sent, at }: SentFrame): SentDownlink => ({
  mac: commandsIn(transmission, sent),
  logged: loggedOf(transmission, sent, at),
});

function loggedOf({ clear }: DeviceTransmission, sent: number, publishedAt: Date): LoggedFrame | null {
  const phyPayload = clear[sent];
  return phyPayload ? { phyPayload, publishedAt } : null;
}

/** The MAC commands of a frame in plain text. */
function commandsIn({ clear }: DeviceTransmission, sent: number): MacCommandNote[] {
  const phyPayload = clear[sent];
  const frame = phyPayload && decodeFrame(phyPayload);
  return frame && isDataFrame(frame) ? noteSentCommands(decodeMacCommands('down', streamOf(frame))) : [];
}

const streamOf = ({ fPort, fOpts, frmPayload }: DataFrame): Uint8Array => (fPort === 0 ? frmPayload : fOpts);

/** Reports a frame without application data that a gateway has sent. */
export async function reportSentFrame(network: Network, sentFrame: SentFrame): Promise<Effect[]> {
  const { transmission, sent } = sentFrame;
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
    txInfo: { down: item.txInfo },
    rxInfo: [],
    ...sentDownlinkOf(sentFrame),
  };
  return await effectOf(network, network.applicationServer.reportFrame(report), devEUI);
}

const sentIn = ({ fCnt, window, dr }: SentData) => ({ fCnt, window, dr });

const windowOfJoinAccept = ({ delayTimingInfo }: gw.DownlinkTXInfo): ReceiveWindowName =>
  delayTimingInfo?.delay === joinAcceptDelays.rx1 * 1000 ? 'RX1' : 'RX2';
