/** Why the network server dropped a frame of a device. */
export const dropWords: Readonly<Record<string, string>> = {
  'unknown-channel': 'On a frequency that is no channel of the device',
  'wrong-mic': 'Signed with another key (MIC)',
  retransmission: 'Repeated later than a device repeats',
  'fcnt-reset': 'The frame-counter went back',
  'device-disabled': 'The device is disabled',
  'profile-missing': 'The network-server does not know the profile',
  'private-gateways': 'Only private gateways of others received it',
  'join-not-supported': 'The device-profile does not support OTAA',
  'join-refused': 'The join-server refused the join',
  'nonce-used': 'Its DevNonce was used before',
  'no-session': 'There is no session',
  'rejoin-not-supported': 'Rejoin-requests of this type are not supported',
  'wrong-network': 'For another network',
  'counter-too-low': 'Its rejoin counter was used before',
};
