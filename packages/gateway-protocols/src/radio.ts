/** What can be on the air at all, whatever the protocol calls it. */

const bandwidths: readonly number[] = [125, 250, 500, 203, 406, 812];
/** OFF is what a forwarder says of a frame without a header. */
const loRaCodeRate = /^(4\/[5-8](LI)?|OFF)$/;
const fraction = /^\d{1,2}\/\d{1,2}(LI)?$/;
/** Forwarders write LR-FHSS rates over six; the gateway model keeps the nominal fraction. */
const lrFHSSCodeRates: Readonly<Record<string, string>> = { '1/3': '1/3', '2/6': '1/3', '2/3': '2/3', '4/6': '2/3' };

/** Every region lies in here; a frequency written in Hz for MHz or the other way round does not. */
export function isFrequency(hertz: number): boolean {
  return hertz >= 430_000_000 && hertz <= 2_500_000_000;
}

const channelStep = 500;
const mostDeviation = 100;

/**
 * Some forwarders report the frequency their radio is tuned to, a few Hz off the channel. Every region's channels lie on
 * multiples of 500 Hz: what is at most 100 Hz off is that multiple, so that all gateways report the same frequency.
 */
export function nominalFrequency(hertz: number): number {
  const nearest = Math.round(hertz / channelStep) * channelStep;
  return Math.abs(hertz - nearest) <= mostDeviation ? nearest : Math.round(hertz);
}

/** dBm or dB. Nothing that a radio measures comes near a kilowatt, or lies so far below all noise. */
export function isLevel(level: number): boolean {
  return Math.abs(level) <= 300;
}

/** Bytes of the longest frame that LoRa, FSK and LR-FHSS carry. */
export const longestFrame = 255;

/** `bandwidth` in kHz. */
export function isLoRaDataRate(spreadingFactor: number, bandwidth: number): boolean {
  return spreadingFactor >= 5 && spreadingFactor <= 12 && bandwidths.includes(bandwidth);
}

/** The code rate of an uplink is informational: a fraction that LoRa does not have passes unchanged, anything else becomes ''. */
export function reportedCodeRate(value: unknown): string {
  const text = String(value).toUpperCase();
  return isLoRaCodeRate(text) || fraction.test(text) ? text : '';
}

export function isLoRaCodeRate(text: string): boolean {
  return loRaCodeRate.test(text);
}

/** `1/3` or `2/3`; undefined for what is none. */
export function lrFHSSCodeRate(text: string): string | undefined {
  return Object.hasOwn(lrFHSSCodeRates, text) ? lrFHSSCodeRates[text] : undefined;
}
