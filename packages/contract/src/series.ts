/** The values of a device over time: decoded numbers, and what the network knows of each frame. */
import { applicationReaders, only } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { longestField, mostFields } from './own-fields.ts';
import { bool, count, double, eui64, list, listOf, message, text, timestamp, uint32, type ValueOf } from './wire.ts';

/** The longest range of a series, in days. */
export const mostSeriesDays = 500;
const mostSeriesFields = 16;
export const seriesPoints = { usual: 500, least: 10, most: 1000 } as const;

export const SeriesField = message('hilltop.SeriesField', {
  field: text({ label: 'Field', help: 'Names joined with a dot; one of our own begins with @.' }),
  kind: text({ label: 'Kind', values: ['number', 'boolean'] }),
  lastValue: double(),
  lastAt: timestamp(),
  since: timestamp({ label: 'Since', help: 'The time of the first value.' }),
  quantity: text({ label: 'Quantity', help: 'What is measured, if that is known.' }),
  unit: text({ label: 'Unit' }),
});
export type SeriesField = ValueOf<typeof SeriesField>;

const Series = message('hilltop.Series', {
  field: text(),
  at: list(double(), {
    label: 'Times',
    help: 'Milliseconds since 1970: of the value, or of the beginning of the step.',
  }),
  count: list(double(), { label: 'Values', help: 'How many values a step has. Times the mean: their sum.' }),
  mean: list(double()),
  min: list(double()),
  max: list(double()),
});
export type Series = ValueOf<typeof Series>;

export const series = ownOperationsOf('series', {
  listFields: get('/api/devices/{dev_eui}/fields', {
    summary: 'List the values that a device has sent',
    request: message('hilltop.ListFieldsRequest', { devEUI: eui64({ required: true }) }),
    response: message('hilltop.ListFieldsResponse', {
      result: listOf(SeriesField),
      omitted: uint32({
        label: 'Omitted values',
        help: `Values of fields beyond the first ${mostFields}, which are not stored as series.`,
      }),
      omittedField: text({ label: 'Omitted field', help: 'The first of those fields.' }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
  get: get('/api/devices/{dev_eui}/series', {
    summary: 'Get values of a device over time',
    request: message('hilltop.GetSeriesRequest', {
      devEUI: eui64({ required: true }),
      fields: list(text({ maxLength: longestField, required: true }), {
        label: 'Fields',
        maxEntries: mostSeriesFields,
        required: true,
      }),
      start: timestamp({ label: 'From', required: true }),
      end: timestamp({
        label: 'To',
        help: `At most ${mostSeriesDays} days later.`,
        required: true,
        notBefore: 'start',
      }),
      points: count({
        label: 'Points',
        help: `At most so many of a field, from ${seriesPoints.least} to ${seriesPoints.most}; 0 stands for ${seriesPoints.usual}.`,
        min: 0,
        clamp: seriesPoints.most,
      }),
    }),
    response: message('hilltop.GetSeriesResponse', {
      stepMs: double({
        label: 'Step',
        help: 'Milliseconds of a step; 0 for raw values. Steps begin at multiples in UTC.',
      }),
      isRaw: bool({ label: 'Raw', help: 'Each point is one value.' }),
      isComplete: bool({ label: 'Is complete', help: 'False: there were too many new events to read all of them.' }),
      result: listOf(Series, { label: 'Fields', help: 'In the order of the request.' }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
});
