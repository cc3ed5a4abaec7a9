import { type OwnFieldName, ownFieldOf, ownFields, type SeriesField } from '@hilltop/contract';
import { type SeriesChartData, type SeriesLine, sumsOf } from '../../components/series-chart/series-data.ts';
import { namesOfFields } from '../../components/values/values.ts';
import type { ColorToken } from '../../theme/data-colors.ts';
import type { DeviceValues } from './read-values.ts';

export interface ValuesChart {
  readonly key: string;
  readonly title: string;
  readonly quantity: string;
  readonly data: SeriesChartData | undefined;
}

/** A device whose values are drawn; its name is shown when there are several. */
export interface DrawnDevice {
  readonly devEUI: string;
  readonly name: string;
}

/** Colours of the device of the page and of those that it is compared with. */
export const deviceColors: readonly ColorToken[] = ['--data-1', '--data-2', '--data-3', '--data-5', '--data-6'];

const usualFields = 8;

const isDecoded = ({ field }: SeriesField) => ownFieldOf(field) === undefined;

/** The decoded fields of a device, numbers before booleans, the newest first. */
export function decodedFields(fields: readonly SeriesField[]): SeriesField[] {
  const order = ({ kind, lastAt }: SeriesField) => (kind === 'number' ? 1e15 : 0) + Date.parse(lastAt ?? '');
  return fields.filter(isDecoded).sort((one, other) => order(other) - order(one));
}

/** Those with a chart unless the user has chosen others. */
export const usualOf = (decoded: readonly SeriesField[]): string[] =>
  decoded
    .filter(({ kind }) => kind === 'number')
    .slice(0, usualFields)
    .map(({ field }) => field);

const chartsOfOwn = ['@rssi', '@snr', '@dr', '@gateways', '@battery', '@margin'] as const satisfies OwnFieldName[];
export const countedFields = ['@uplinks', '@lost'] as const satisfies OwnFieldName[];
const stepped: readonly string[] = ['@dr', '@gateways'];

/** The fields of our own that are measured and that the device has. */
export const ownOf = (fields: readonly SeriesField[]): OwnFieldName[] =>
  chartsOfOwn.filter((own) => fields.some(({ field }) => field === own));

interface Wanted {
  readonly fields: readonly SeriesField[];
  /** The decoded fields to draw. */
  readonly chosen: readonly string[];
  readonly devices: readonly DrawnDevice[];
}

/** The charts of the page, in their order. Without values they are loading. */
export function chartsOf({ fields, chosen, devices }: Wanted, values: DeviceValues | undefined): ValuesChart[] {
  const names = namesOfFields(fields.filter(isDecoded).map(({ field }) => field));
  const decoded = chosen.map((field): ValuesChart => {
    const { quantity = '', unit = '', kind = 'number' } = fields.find((one) => one.field === field) ?? {};
    const data = values && lineData(field, unit, kind === 'boolean' ? 'step' : 'line', devices, values);
    const title = names.get(field) ?? field;
    const name = nameOf(quantity);
    return { key: field, title, quantity: name === title.toLowerCase() ? '' : name, data };
  });
  const own = ownOf(fields).map((field): ValuesChart => {
    const { label, unit } = ownFields[field];
    const data = values && lineData(field, unit, stepped.includes(field) ? 'step' : 'line', devices, values);
    return { key: field, title: label, quantity: '', data };
  });
  const counted: ValuesChart = {
    key: '@uplinks',
    title: 'Uplinks',
    quantity: '',
    data: values && sums(devices[0]!, values),
  };
  const dr = own.findIndex(({ key }) => key === '@dr');
  return [...decoded, ...own.slice(0, dr + 1), ...(fields.length > 0 ? [counted] : []), ...own.slice(dr + 1)];
}

function lineData(
  field: string,
  unit: string,
  kind: 'line' | 'step',
  devices: readonly DrawnDevice[],
  { from, to, devices: valuesOf }: DeviceValues,
): SeriesChartData {
  const lines = devices.map(({ devEUI, name }, index): SeriesLine => {
    const { points, stepMs } = valuesOf[devEUI]?.[field] ?? { points: [], stepMs: 0 };
    return { name: devices.length > 1 ? name : '', color: deviceColors[index]!, points, stepMs };
  });
  return { kind, unit, lines, from, to };
}

function sums({ devEUI }: DrawnDevice, { from, to, devices }: DeviceValues): SeriesChartData {
  const colors: Record<string, ColorToken> = { '@uplinks': '--data-1', '@lost': '--state-attention' };
  const lines = countedFields.map((field): SeriesLine => {
    const { points, stepMs } = devices[devEUI]?.[field] ?? { points: [], stepMs: 0 };
    const named = { name: field === '@lost' ? 'Lost' : 'Received', color: colors[field]! };
    return { ...named, stepMs, points: stepMs > 0 ? sumsOf(points, { from, to, stepMs }) : [] };
  });
  return { kind: 'bars', unit: '', lines, from, to };
}

/** `relativeHumidity` becomes "relative humidity". */
const nameOf = (quantity: string) => quantity.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
