import {
  concatBytes,
  decodeFrame,
  decryptJoinAccept,
  deriveJoinServerKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  equalBytes,
  FrameError,
  joinRequestMic,
  sealJoinAccept,
} from '@hilltop/lorawan';
import type { JoinAnswer, JoinRequest, JoinServer } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Secrets } from '../secrets.ts';
import { openRootKeys, type RootKeys } from './root-keys.ts';

const lastJoinNonce = 2 ** 24 - 1;

/**
 * Holds the root keys and answers joins. The JoinNonce is counted and stored before anything else, also when the MIC
 * turns out wrong, so that none is ever used twice.
 */
export function createJoinServer({ database, secrets }: { database: Database; secrets: Secrets }): JoinServer {
  const count = prepare<{ devEUI: string }>()(
    database,
    (query, $) =>
      query
        .updateTable('device_keys')
        .set((eb) => ({ join_nonce: eb('join_nonce', '+', 1) }))
        .where('dev_eui', '=', $.devEUI)
        .where('join_nonce', '<', lastJoinNonce)
        .returning(['join_nonce', 'nwk_key', 'app_key']),
    { joined: true, apart: 'devEUI' },
  );

  /** Counts in a transaction of its own: whatever becomes of this join, the nonce is spent. */
  async function nextJoinNonce(devEUI: string): Promise<{ joinNonce: number; keys: RootKeys } | undefined> {
    let row: { join_nonce: number; nwk_key: Uint8Array; app_key: Uint8Array } | undefined;
    const run = async () => {
      row = await count.first({ devEUI });
      return true;
    };
    await database.commit({ run });
    return row && { joinNonce: row.join_nonce, keys: openRootKeys(secrets, devEUI, row) };
  }

  return {
    join: async (request) => {
      const next = await nextJoinNonce(request.devEUI);
      if (next) return answer(request, next.joinNonce, next.keys);
      return {
        result: 'KeysMissing',
        description: 'The device has no root keys, or all its join nonces are used up. Set its keys again.',
      };
    },
  };
}

function answer(request: JoinRequest, joinNonce: number, keys: RootKeys): JoinAnswer {
  try {
    if (request.joinType === 'join' && !isMicValid(request.phyPayload, keys.nwkKey)) {
      return {
        result: 'MICFailed',
        description: 'The join-request is signed with another key than the one stored: compare the root keys.',
      };
    }
    return accept(request, joinNonce, keys);
  } catch (error) {
    if (error instanceof FrameError || error instanceof RangeError)
      return { result: 'Other', description: error.message };
    throw error;
  }
}

function isMicValid(phyPayload: Uint8Array, nwkKey: Uint8Array): boolean {
  const frame = decodeFrame(phyPayload);
  return frame.mType === 'JoinRequest' && equalBytes(frame.mic, joinRequestMic(nwkKey, phyPayload.subarray(0, -4)));
}

const joinReqTypes = { join: 0xff, rejoin0: 0, rejoin1: 1, rejoin2: 2 } as const;

/**
 * With OptNeg the LoRaWAN 1.1 keys, for rejoins too (LoRaWAN 1.1 §6.1.4); the previous generation answered rejoins with
 * keys of the 1.0 layout.
 */
function accept(request: JoinRequest, joinNonce: number, { nwkKey, appKey }: RootKeys): JoinAnswer {
  const { joinType, devEUI, joinEUI, devNonce, netID, devAddr, dlSettings, rxDelay } = request;
  const accepted = { joinNonce, netID, devAddr, dlSettings, rxDelay, cFList: request.cFList };
  const js = deriveJoinServerKeys(nwkKey, devEUI);
  const isRejoin = joinType !== 'join';
  const encryptionKey = isRejoin ? js.jsEncKey : nwkKey;
  const phyPayload = sealJoinAccept(accepted, {
    encryptionKey,
    micKey: isRejoin || dlSettings.optNeg ? js.jsIntKey : nwkKey,
    answered: dlSettings.optNeg ? { joinReqType: joinReqTypes[joinType], joinEUI, devNonce } : null,
  });
  const session = dlSettings.optNeg
    ? deriveSessionKeys11({ nwkKey, appKey }, { joinNonce, joinEUI, devNonce })
    : deriveSessionKeys10(nwkKey, { joinNonce, netID, devNonce });
  const { appSKey, ...networkKeys } = session;
  const { clear: payload, mic } = decryptJoinAccept(phyPayload, encryptionKey);
  const clear = concatBytes(phyPayload.subarray(0, 1), payload, mic);
  return {
    result: 'Success',
    phyPayload,
    clear,
    ...networkKeys,
    appSKey: { kekLabel: '', aesKey: appSKey },
    effects: [],
  };
}
