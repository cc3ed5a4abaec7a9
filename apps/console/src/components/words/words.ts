interface Word {
  word: string;
  /** A definition in one sentence, shown beside the term. */
  is: string;
  more: string;
}

/** The LoRaWAN terms of the console, each explained once. */
export const words = {
  serviceProfile: {
    word: 'Service-profile',
    is: 'A service-profile defines what a network-server does for the devices of an organization.',
    more: 'It sets the allowed data-rates, how often devices report their battery, and whether uplinks contain gateway metadata. Each application has one service-profile and uses its network-server.',
  },
  deviceProfile: {
    word: 'Device-profile',
    is: 'A device-profile describes the capabilities and the codec of one type of device.',
    more: 'It contains the LoRaWAN version, the class, the activation, the receive windows and the codec. All devices of one model share a profile; the data sheet lists the values. A wrong version or revision makes joins or downlinks fail.',
  },
  gatewayProfile: {
    word: 'Gateway-profile',
    is: 'A gateway-profile is the channel plan for gateways that Hilltop configures.',
    more: 'Most gateways have their own channel configuration and need no profile. It does not affect devices.',
  },
  devNonce: {
    word: 'DevNonce',
    is: 'A DevNonce is the number of a join-request. A device uses each number only once.',
    more: 'A recorded join-request therefore cannot be replayed. A device that restarts its counter after a reset is refused until you clear its DevNonces.',
  },
  dataRate: {
    word: 'DR',
    is: 'A data-rate (DR) is the number of a spreading factor and bandwidth in a region.',
    more: 'In EU868, DR0 is SF12 with 125 kHz and DR5 is SF7. A higher data-rate is faster and uses less battery; a lower one has more range.',
  },
  fCnt: {
    word: 'FCnt',
    is: 'FCnt is the frame counter: the sender increments it with each frame.',
    more: 'Uplinks and downlinks have separate counters. A repeated number is refused, because the frame may be a replay. A missing number is a lost frame.',
  },
  fPort: {
    word: 'FPort',
    is: 'FPort identifies the type of payload: 0 for MAC commands, 1 to 223 for the application.',
    more: 'Many devices send measurements and settings on different ports. Codecs receive the port as an argument.',
  },
  devAddr: {
    word: 'DevAddr',
    is: 'DevAddr is the short address of a device within a session.',
    more: 'A device gets a new DevAddr with each join. Several devices can share a DevAddr: their keys differ.',
  },
  rssi: {
    word: 'RSSI',
    is: 'RSSI is the signal strength of a received frame, in dBm.',
    more: '-60 dBm is a very strong signal; -120 dBm is close to the limit of reception.',
  },
  snr: {
    word: 'SNR',
    is: 'SNR is the signal-to-noise ratio of a received frame, in dB.',
    more: 'LoRa works below the noise level: SF7 down to about -7.5 dB, SF12 to -20 dB. A higher SNR leaves margin for a faster data-rate.',
  },
  eirp: {
    word: 'EIRP',
    is: 'EIRP is the transmit power including the antenna gain.',
    more: '14 dBm is 25 mW, 16 dBm is 40 mW. The region limits it, and adaptive data-rate never exceeds the maximum of the device-profile.',
  },
  byteOrder: {
    word: 'MSB and LSB',
    is: 'MSB and LSB are byte orders: most or least significant byte first.',
    more: 'Labels and this console use MSB; some firmware and tools use LSB. A key or EUI in the wrong byte order is the most common reason for a refused join.',
  },
  revision: {
    word: 'Regional Parameters revision',
    is: 'The Regional Parameters define the channels, data-rates and limits of each region. They have several revisions.',
    more: 'The data sheet of a device names its revision. A and B belong to LoRaWAN 1.0.2 and 1.0.3; newer devices use a revision of RP002.',
  },
} as const satisfies Record<string, Word>;

/** The term at the end of a title, if it is one of these: "Received / DR". */
export const wordOfTitle = (title: string): WordName | undefined =>
  (Object.keys(words) as WordName[]).find((name) => words[name].word === title.split(' / ').at(-1));

export type WordName = keyof typeof words;
