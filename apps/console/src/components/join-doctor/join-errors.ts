/** Whether a join was refused for its DevNonce. The text is that of version 3, which says no more. */
export const isUsedNonce = (error: string): boolean => error.includes('dev-nonce');

/** Why a join was refused, in plain words. */
export const joinErrorText = (error: string): string =>
  isUsedNonce(error)
    ? 'The device has used this DevNonce before: it was reset, or another sender replays its join-request.'
    : error;
