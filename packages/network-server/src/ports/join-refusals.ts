/** Reasons why a known device may not join, with advice for users. */
export const joinRefusals = {
  DEVICE_DISABLED: 'The device is disabled: enable it in its configuration.',
  JOIN_NOT_SUPPORTED: 'The device-profile does not support OTAA: choose one that does.',
  NO_DEVICE_PROFILE: 'The device-profile of the device is not known to the network-server.',
  NO_ROOT_KEYS: 'There are no root keys of the device, or its join nonces are used up: set its keys again.',
  WRONG_KEY: 'It is signed with another root key than the one stored (MIC): compare the keys.',
  DEV_NONCE_USED: 'Its DevNonce was used before: the device repeats itself, or has forgotten its counter.',
  UNKNOWN_TO_JOIN_SERVER: 'The join-server of its JoinEUI does not know the device.',
  JOIN_SERVER: 'The join-server did not answer, or refused for a reason of its own.',
} as const satisfies Record<string, string>;

export type JoinRefusalReason = keyof typeof joinRefusals;

/** A refusal as the frame log of the device shows it. */
export interface JoinRefusal {
  reason: JoinRefusalReason;
  sentence: string;
}

export const refusalOf = (reason: JoinRefusalReason): JoinRefusal => ({ reason, sentence: joinRefusals[reason] });
