import type { ModulationFields, Rxpk } from '@hilltop/gateway-protocols';
import type { Modulation } from '@hilltop/lorawan';
import type { Transmission } from './device/transmission.ts';
import type { Signal } from './radio.ts';

/** `modu`, `datr` and `codr` of a modulation. */
export function modulationFields(modulation: Modulation): ModulationFields {
  switch (modulation.modulation) {
    case 'LORA': {
      const { spreadingFactor, bandwidth, codeRate = '4/5' } = modulation;
      return { modu: 'LORA', datr: `SF${spreadingFactor}BW${bandwidth}`, codr: codeRate };
    }
    case 'FSK':
      return { modu: 'FSK', datr: modulation.datarate };
    case 'LR_FHSS':
      return {
        modu: 'LR-FHSS',
        datr: `M0CW${modulation.operatingChannelWidth / 1000}`,
        codr: modulation.codeRate,
      };
  }
}

/** The rxpk of a forwarder for a received transmission. */
export function rxpkOf(transmission: Transmission, signal: Signal, received: { tmst: number; time: Date }): Rxpk {
  const { phyPayload, frequency, channel, modulation } = transmission;
  return {
    tmst: received.tmst,
    time: received.time.toISOString(),
    freq: frequency / 1e6,
    chan: channel % 8,
    rfch: channel % 8 < 4 ? 0 : 1,
    stat: 1,
    ...modulationFields(modulation),
    rssi: Math.round(signal.rssi),
    lsnr: Math.round(signal.snr * 4) / 4,
    size: phyPayload.length,
    data: phyPayload.toBase64(),
  };
}
