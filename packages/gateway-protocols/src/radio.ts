/** Limits of what a radio can send and measure, for all protocols. */

const bandwidths: readonly number[] = [125, 250, 500, 203, 406, 812];
/** Forwarders write OFF for a frame without a header. */
const loRaCodeRate = /^(4\/[5-8](LI)?|OFF)$/;
const fraction = /^\d{1,2}\/\d{1,2}(LI)?$/;
/** Forwarders write LR-FHSS rates in sixths; the gateway model has the nominal fraction. */
const lrFHSSCodeRates: Readonly<Record<string, string>> = { '1/3': '1/3', '2/6': '1/3', '2/3': '2/3', '4/6': '2/3' };

/** Accepts the frequencies of every region, but none in MHz instead of Hz or vice versa. */
export function isFrequency(hertz: number): boolean {
  return hertz >= 430_000_000 && hertz <= 2_500_000_000;
}

const channelStep = 500;
const mostDeviation = 100;

/**
 * Some forwarders report the frequency that their radio is tuned to, a few Hz off the channel. The channels of every
 * region are multiples of 500 Hz: a frequency at most 100 Hz off counts as that multiple, so that all gateways report
 * the same one.
 */
export function nominalFrequency(hertz: number): number {
  const nearest = Math.round(hertz / channelStep) * channelStep;
  return Math.abs(hertz - nearest) <= mostDeviation ? nearest : Math.round(hertz);
}

/** In dBm or dB. No radio measures a kilowatt, or a level so far below the noise. */
export function isLevel(level: number): boolean {
  return Math.abs(level) <= 300;
}

/** The longest frame of LoRa, FSK and LR-FHSS in bytes. */
export const longestFrame = 255;

/** `bandwidth` in kHz. */
export function isLoRaDataRate(spreadingFactor: number, bandwidth: number): boolean {
  return spreadingFactor >= 5 && spreadingFactor <= 12 && bandwidths.includes(bandwidth);
}

/** The code rate of an uplink is informational: a fraction that LoRa does not have passes unchanged, anything else becomes ''. */
export function reportedCodeRate(value: unknown): string {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  return isLoRaCodeRate(text) || fraction.test(text) ? text : '';
}

export function isLoRaCodeRate(text: string): boolean {
  return loRaCodeRate.test(text);
}

/** `1/3` or `2/3`; undefined for any other text. */
export function lrFHSSCodeRate(text: string): string | undefined {
  return Object.hasOwn(lrFHSSCodeRates, text) ? lrFHSSCodeRates[text] : undefined;
}
