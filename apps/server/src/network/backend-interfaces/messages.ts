/** The messages of LoRaWAN Backend Interfaces 1.0 for joins, as version 3 writes them. */
import {
  decodeCFList,
  decodeDLSettings,
  decodeFrame,
  encodeCFList,
  encodeDLSettings,
  type JoinRequestFrame,
  type RejoinRequestFrame,
} from '@hilltop/lorawan';
import type { JoinRequest } from '@hilltop/network-server';
import { z } from 'zod';
import type { KeyEnvelope } from '../../key-envelopes.ts';

/** Hexadecimal digits, with or without `0x`; of this many bytes, or any number. */
const hex = (bytes?: number) =>
  z
    .string()
    .max(600)
    .transform((text) => text.replace(/^0x/i, '').toLowerCase())
    .refine((text) => /^([0-9a-f]{2})*$/.test(text) && (bytes === undefined || text.length === bytes * 2));

const transactionID = z.number().int().min(0).max(0xffffffff);

const common = {
  SenderID: hex(3),
  ReceiverID: hex(8),
  TransactionID: transactionID,
};

const joining = {
  ...common,
  MACVersion: z.string().max(20).default(''),
  PHYPayload: hex(),
  DevEUI: hex(8),
  DevAddr: hex(4),
  DLSettings: hex(1),
  RxDelay: z.number().int().min(0).max(15),
  CFList: hex(16).or(z.literal('')).nullish(),
};

/** The requests of network servers. */
export const Request = z.discriminatedUnion('MessageType', [
  z.object({ MessageType: z.literal('JoinReq'), ...joining }),
  z.object({ MessageType: z.literal('RejoinReq'), ...joining }),
  z.object({ MessageType: z.literal('HomeNSReq'), ...common, DevEUI: hex(8) }),
]);
export type Request = z.infer<typeof Request>;
export type JoiningRequest = Exclude<Request, { MessageType: 'HomeNSReq' }>;

const Envelope = z.object({ KEKLabel: z.string().max(200).default(''), AESKey: hex() });

/** The answer of a join server to a join or rejoin. */
export const JoinServerAnswer = z.object({
  TransactionID: transactionID,
  MessageType: z.string(),
  Result: z.object({ ResultCode: z.string().max(100), Description: z.string().max(1000).nullish() }),
  PHYPayload: hex().nullish(),
  AppSKey: Envelope.nullish(),
  NwkSKey: Envelope.nullish(),
  FNwkSIntKey: Envelope.nullish(),
  SNwkSIntKey: Envelope.nullish(),
  NwkSEncKey: Envelope.nullish(),
});
export type JoinServerAnswer = z.infer<typeof JoinServerAnswer>;

export const envelopeOf = ({ KEKLabel, AESKey }: z.infer<typeof Envelope>): KeyEnvelope => ({
  kekLabel: KEKLabel,
  aesKey: Uint8Array.fromHex(AESKey),
});

export const written = ({ kekLabel, aesKey }: KeyEnvelope) => ({ KEKLabel: kekLabel, AESKey: aesKey.toHex() });

const rejoinTypes = ['rejoin0', 'rejoin1', 'rejoin2'] as const;

/** Converts a request for the embedded join server. Throws FrameError or RangeError when it is invalid. */
export function toJoinRequest(request: JoiningRequest): JoinRequest {
  const { SenderID: netID, ReceiverID: joinEUI, DevEUI: devEUI, DevAddr: devAddr, RxDelay: rxDelay } = request;
  const phyPayload = Uint8Array.fromHex(request.PHYPayload);
  const frame = decodeFrame(phyPayload);
  const isJoin = request.MessageType === 'JoinReq';
  if (frame.mType !== (isJoin ? 'JoinRequest' : 'RejoinRequest'))
    throw new RangeError(`The PHYPayload of a ${request.MessageType} is a ${frame.mType}.`);
  const asked = frame as JoinRequestFrame | RejoinRequestFrame;
  if (asked.devEUI !== devEUI) throw new RangeError('The PHYPayload is of another DevEUI.');
  const isOfJoin = asked.mType === 'JoinRequest';
  return {
    joinType: isOfJoin ? 'join' : rejoinTypes[asked.rejoinType],
    devNonce: isOfJoin ? asked.devNonce : asked.rjCount,
    dlSettings: decodeDLSettings(Number.parseInt(request.DLSettings, 16)),
    cFList: request.CFList ? decodeCFList(Uint8Array.fromHex(request.CFList)) : null,
    macVersion: request.MACVersion,
    phyPayload,
    devEUI,
    joinEUI,
    netID,
    devAddr,
    rxDelay,
  };
}

/** The request to an external join server. */
export function fromJoinRequest(request: JoinRequest, TransactionID: number) {
  const { joinType, phyPayload, devEUI, joinEUI, netID, devAddr, macVersion, dlSettings, rxDelay, cFList } = request;
  return {
    ProtocolVersion: '1.0',
    SenderID: netID,
    ReceiverID: joinEUI,
    TransactionID,
    MessageType: joinType === 'join' ? 'JoinReq' : 'RejoinReq',
    MACVersion: macVersion,
    PHYPayload: phyPayload.toHex(),
    DevEUI: devEUI,
    DevAddr: devAddr,
    DLSettings: encodeDLSettings(dlSettings).toString(16).padStart(2, '0'),
    RxDelay: rxDelay,
    ...(cFList && { CFList: encodeCFList(cFList).toHex() }),
  };
}
