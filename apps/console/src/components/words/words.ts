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
    is: 'A service-profile says what a network-server does for the devices of an organization.',
    more: 'Which data-rates they may use, how often they are asked for their battery, whether gateways tell how well they heard. An application has one, and so its devices stay at the network-server of that profile.',
  },
  deviceProfile: {
    word: 'Device-profile',
    is: 'A device-profile says what a kind of device can do, and how its bytes become values.',
    more: 'Its LoRaWAN version and class, whether it joins, when it listens, and its codec. Devices of one make share one: take it from the data sheet. A wrong version or revision makes joins or downlinks fail.',
  },
  gatewayProfile: {
    word: 'Gateway-profile',
    is: 'A gateway-profile is the channel plan of gateways that take their settings from here.',
    more: 'Most gateways do not: they keep the channels they were set up with and need no profile. It changes nothing for devices.',
  },
  devNonce: {
    word: 'DevNonce',
    is: 'A DevNonce is the number of a join-request, which a device uses only once.',
    more: 'So a recorded join-request is worth nothing to whoever repeats it. A device that starts counting again after a reset is refused until its DevNonces are cleared.',
  },
  dataRate: {
    word: 'DR',
    is: 'A data-rate (DR) is the number a region gives to a spreading factor and bandwidth.',
    more: 'In EU868, DR0 is SF12 with 125 kHz and DR5 is SF7: a higher one is faster and uses less battery, a lower one reaches farther.',
  },
  fCnt: {
    word: 'FCnt',
    is: 'FCnt is the number of a frame, counted up by who sends it.',
    more: 'Uplinks and downlinks have their own. A number that comes again is refused: it may be a recording. One that is left out was not heard.',
  },
  fPort: {
    word: 'FPort',
    is: 'FPort tells what the bytes of a frame are: 0 for MAC commands, 1 to 223 for the application.',
    more: 'Many devices send measurements and settings on different ports, and codecs are told which.',
  },
  devAddr: {
    word: 'DevAddr',
    is: 'DevAddr is the short address of a device in its session.',
    more: 'It gets one by each join. Several devices may have the same: keys tell them apart.',
  },
  rssi: {
    word: 'RSSI',
    is: 'RSSI is how strong a gateway heard a frame, in dBm.',
    more: 'It is negative: -60 is next door, -120 is about as faint as can be heard.',
  },
  snr: {
    word: 'SNR',
    is: 'SNR is how far a frame stood out of the noise, in dB.',
    more: 'LoRa is understood even below the noise: SF7 down to about -7.5, SF12 to -20. What is above is room for a faster data-rate.',
  },
  eirp: {
    word: 'EIRP',
    is: 'EIRP is the power that leaves the antenna, its gain included.',
    more: 'In dBm: 14 are 25 mW, 16 are 40 mW. The region limits it, and adaptive data-rate never asks a device for more than its profile says.',
  },
  byteOrder: {
    word: 'MSB and LSB',
    is: 'Bytes are read with the most significant one first (MSB), or the other way round (LSB).',
    more: 'Labels and the console have MSB first, some source codes and tools LSB. A key or EUI in the wrong order is the usual reason why a first join is refused.',
  },
  revision: {
    word: 'Regional Parameters revision',
    is: 'The Regional Parameters list channels, data-rates and limits of each region, and have revisions.',
    more: 'The data sheet of a device names the one it was built for. A and B belong to LoRaWAN 1.0.2 and 1.0.3; later devices have one of RP002.',
  },
} as const satisfies Record<string, Word>;

/** The term at the end of a title, if it is one of these: "Received / DR". */
export const wordOfTitle = (title: string): WordName | undefined =>
  (Object.keys(words) as WordName[]).find((name) => words[name].word === title.split(' / ').at(-1));

export type WordName = keyof typeof words;
