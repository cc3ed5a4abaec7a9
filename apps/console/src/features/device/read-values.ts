import type { Series } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import { pointsOf, type SeriesPoint } from '../../components/series-chart/series-data.ts';

export interface FieldPoints {
  readonly points: readonly SeriesPoint[];
  readonly stepMs: number;
}

/** What the charts draw: values of devices by field. */
export interface DeviceValues {
  readonly from: number;
  readonly to: number;
  readonly devices: Readonly<Record<string, Readonly<Record<string, FieldPoints>>>>;
  /** False: the server did not read all new events. */
  readonly isComplete: boolean;
}

export interface ValuesRequest {
  readonly devEUIs: readonly string[];
  readonly fields: readonly string[];
  /** Fields that are summed; of the first device only. */
  readonly counters: readonly string[];
  readonly from: number;
  readonly to: number;
}

const fieldsPerCall = 16;
const valuePoints = 500;
const barPoints = 90;

export async function readValues(
  { devEUIs, fields, counters, from, to }: ValuesRequest,
  signal: AbortSignal,
): Promise<DeviceValues> {
  const range = { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
  const call = async (devEUI: string, some: readonly string[], points: number) => {
    const read = query('series', 'get', { devEUI, fields: some, points, ...range });
    return { devEUI, ...(await read.queryFn({ signal })) };
  };
  const parts = Array.from({ length: Math.ceil(fields.length / fieldsPerCall) }, (_, part) =>
    fields.slice(part * fieldsPerCall, (part + 1) * fieldsPerCall),
  );
  const answers = await Promise.all([
    ...devEUIs.flatMap((devEUI) => parts.map((part) => call(devEUI, part, valuePoints))),
    ...(counters.length > 0 ? [call(devEUIs[0]!, counters, barPoints)] : []),
  ]);
  const devices: Record<string, Record<string, FieldPoints>> = {};
  for (const { devEUI, stepMs, result } of answers)
    for (const series of result as Series[])
      (devices[devEUI] ??= {})[series.field] = { points: pointsOf(series), stepMs };
  return { from, to, devices, isComplete: answers.every(({ isComplete }) => isComplete) };
}
