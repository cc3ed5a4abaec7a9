import {
  clearJoinAccept,
  decodeFrame,
  deriveJoinServerKeys,
  deriveSessionKeys10,
  deriveSessionKeys11,
  encryptJoinAccept,
  equalBytes,
  FrameError,
  joinRequestMic,
} from '@hilltop/lorawan';
import type { JoinAnswer, JoinRequest, JoinServer } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import type { Secrets } from '../secrets.ts';
import { openRootKey, type SealedKeys } from './root-keys.ts';

const lastJoinNonce = 2 ** 24 - 1;

const countJoin = statement<RowOf<'device_keys', 'join_nonce' | 'nwk_key' | 'app_key'>>()({
  sql: ({ from }) => `update device_keys set join_nonce = join_nonce + 1 ${from}
    where dev_eui = $devEUI and join_nonce < ${lastJoinNonce}
    returning join_nonce, nwk_key, app_key`,
  given: { devEUI: 'text' },
  batch: { rowKey: 'devEUI' },
});

/**
 * Holds the root keys and answers joins. It increments and stores the JoinNonce first, even for a wrong MIC, so that
 * none is ever used twice.
 */
export function createJoinServer({ database, secrets }: { database: Database; secrets: Secrets }): JoinServer {
  /** Increments the nonce in a transaction of its own, so that it is used up whatever happens to this join. */
  async function nextJoinNonce(devEUI: string): Promise<{ joinNonce: number; keyOf: KeyOf } | undefined> {
    let row: (SealedKeys & { join_nonce: number }) | undefined;
    const run = async () => {
      row = await countJoin(database).first({ devEUI });
      return true;
    };
    await database.commit({ run });
    const sealed = row;
    return sealed && { joinNonce: sealed.join_nonce, keyOf: (which) => openRootKey(secrets, devEUI, sealed, which) };
  }

  return {
    join: async (request) => {
      const next = await nextJoinNonce(request.devEUI);
      if (next) return answer(request, next.joinNonce, next.keyOf);
      return {
        result: 'KeysMissing',
        description: 'The device has no root keys, or all its join nonces are used up. Set its keys again.',
      };
    },
  };
}

/** Opens a root key: a LoRaWAN 1.0 device has only the first. */
type KeyOf = (which: keyof SealedKeys) => Uint8Array;

function answer(request: JoinRequest, joinNonce: number, keyOf: KeyOf): JoinAnswer {
  try {
    const nwkKey = keyOf('nwk_key');
    if (request.joinType === 'join' && !isMicValid(request.phyPayload, nwkKey)) {
      return {
        result: 'MICFailed',
        description: 'The join-request is signed with another key than the one stored: compare the root keys.',
      };
    }
    return accept(request, joinNonce, nwkKey, keyOf);
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
 * With OptNeg it derives the LoRaWAN 1.1 keys, for rejoins too (LoRaWAN 1.1 §6.1.4); version 3 answered rejoins with
 * keys of the 1.0 layout.
 */
function accept(request: JoinRequest, joinNonce: number, nwkKey: Uint8Array, keyOf: KeyOf): JoinAnswer {
  const { joinType, devEUI, joinEUI, devNonce, netID, devAddr, dlSettings, rxDelay } = request;
  const { optNeg } = dlSettings;
  const accepted = { joinNonce, netID, devAddr, dlSettings, rxDelay, cFList: request.cFList };
  const isRejoin = joinType !== 'join';
  // A 1.0 device that joins has one key for all purposes.
  const js = isRejoin || optNeg ? deriveJoinServerKeys(nwkKey, devEUI) : { jsEncKey: nwkKey, jsIntKey: nwkKey };
  const clear = clearJoinAccept(accepted, {
    micKey: js.jsIntKey,
    answered: optNeg ? { joinReqType: joinReqTypes[joinType], joinEUI, devNonce } : null,
  });
  const { appSKey, ...networkKeys } = optNeg
    ? deriveSessionKeys11({ nwkKey, appKey: keyOf('app_key') }, { joinNonce, joinEUI, devNonce })
    : deriveSessionKeys10(nwkKey, { joinNonce, netID, devNonce });
  return {
    result: 'Success',
    phyPayload: encryptJoinAccept(clear, isRejoin ? js.jsEncKey : nwkKey),
    clear,
    ...networkKeys,
    appSKey: { kekLabel: '', aesKey: appSKey },
    effects: [],
  };
}
