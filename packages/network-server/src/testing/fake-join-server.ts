import {
  concatBytes,
  decryptJoinAccept,
  deriveJoinServerKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  equalBytes,
  joinRequestMic,
  sealJoinAccept,
} from '@hilltop/lorawan';
import type { JoinAnswer, JoinRequest, JoinServer } from '../ports/join-server.ts';

/** A join server with real cryptography and a map of root keys. */
export function createFakeJoinServer(rootKeys: Map<string, { nwkKey: Uint8Array; appKey: Uint8Array }>): JoinServer {
  let joinNonce = 0;
  return {
    async join(request) {
      const keys = rootKeys.get(request.devEUI);
      if (!keys) return { result: 'KeysMissing', description: 'the keys of the device are missing' };
      const isRejoin = request.joinType !== 'join';
      const mic = joinRequestMic(keys.nwkKey, request.phyPayload.subarray(0, -4));
      if (!isRejoin && !equalBytes(mic, request.phyPayload.subarray(-4))) {
        return { result: 'MICFailed', description: 'invalid MIC' };
      }
      joinNonce += 1;
      return accept(request, keys, joinNonce);
    },
  };
}

const joinReqTypes = { join: 0xff, rejoin0: 0, rejoin1: 1, rejoin2: 2 } as const;

function accept(request: JoinRequest, keys: { nwkKey: Uint8Array; appKey: Uint8Array }, joinNonce: number): JoinAnswer {
  const { netID, devAddr, dlSettings, rxDelay, cFList, devNonce, joinEUI, devEUI, joinType } = request;
  const { jsIntKey, jsEncKey } = deriveJoinServerKeys(keys.nwkKey, devEUI);
  const answered = { joinReqType: joinReqTypes[joinType], joinEUI, devNonce };
  const phyPayload = sealJoinAccept(
    { joinNonce, netID, devAddr, dlSettings, rxDelay, cFList },
    {
      encryptionKey: joinType === 'join' ? keys.nwkKey : jsEncKey,
      micKey: dlSettings.optNeg ? jsIntKey : keys.nwkKey,
      answered: dlSettings.optNeg ? answered : null,
    },
  );
  const session = dlSettings.optNeg
    ? deriveSessionKeys11(keys, { joinNonce, joinEUI, devNonce })
    : deriveSessionKeys10(keys.nwkKey, { joinNonce, netID, devNonce });
  const { appSKey, ...network } = session;
  const { clear: payload, mic } = decryptJoinAccept(phyPayload, joinType === 'join' ? keys.nwkKey : jsEncKey);
  const clear = concatBytes(phyPayload.subarray(0, 1), payload, mic);
  return { result: 'Success', phyPayload, clear, ...network, appSKey: { kekLabel: '', aesKey: appSKey }, effects: [] };
}
