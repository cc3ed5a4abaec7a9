/** The fields of series: decoded ones, and our own. */

/** The longest name of a field: the names of a decoded value joined with a dot. */
export const longestField = 100;
/** The most decoded fields of a device that have a series. */
export const mostFields = 32;

/** A `value` is measured; a `counter` is summed for each step. */
interface OwnField {
  readonly label: string;
  readonly unit: string;
  readonly kind: 'value' | 'counter';
}

/** Fields that are not decoded from payloads. */
export const ownFields = {
  '@rssi': { label: 'RSSI of the best gateway', unit: 'dBm', kind: 'value' },
  '@snr': { label: 'SNR of the best gateway', unit: 'dB', kind: 'value' },
  '@dr': { label: 'Data-rate', unit: '', kind: 'value' },
  '@gateways': { label: 'Gateways', unit: '', kind: 'value' },
  '@battery': { label: 'Battery', unit: '%', kind: 'value' },
  '@margin': { label: 'Margin', unit: 'dB', kind: 'value' },
  '@uplinks': { label: 'Uplinks', unit: '', kind: 'counter' },
  '@lost': { label: 'Lost uplinks', unit: '', kind: 'counter' },
  '@stopped': { label: 'Uplinks lost while the server was stopped', unit: '', kind: 'counter' },
  '@resets': { label: 'Resets of the frame-counter', unit: '', kind: 'counter' },
  '@errors': { label: 'Errors', unit: '', kind: 'counter' },
  '@joins': { label: 'Joins', unit: '', kind: 'counter' },
  '@airtime': { label: 'Time on air', unit: 'ms', kind: 'counter' },
} as const satisfies Record<string, OwnField>;
export type OwnFieldName = keyof typeof ownFields;

/** The description of one of our own fields; undefined for a decoded one. */
export function ownFieldOf(field: string): OwnField | undefined {
  return Object.hasOwn(ownFields, field) ? ownFields[field as OwnFieldName] : undefined;
}
