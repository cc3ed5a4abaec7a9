import { byteOrderMark, type CSVCell, csvLine } from '@hilltop/contract';
import type { SeriesLine } from '../../components/series-chart/series-data.ts';
import type { ValuesChart } from './values-charts.ts';

/** What the charts draw as CSV: a line for each time, and a column for each line of a chart. */
export function csvOfCharts(charts: readonly ValuesChart[]): string {
  const columns = charts.flatMap(({ title, data }) =>
    (data?.lines ?? []).flatMap((line) => columnsOf([title, line.name], data!.unit, line)),
  );
  const times = [...new Set(columns.flatMap(({ cells }) => [...cells.keys()]))].sort((one, other) => one - other);
  const head = csvLine(['time', ...columns.map(({ name }) => name)]);
  const rows = times.map((at) =>
    csvLine([new Date(at).toISOString(), ...columns.map(({ cells }): CSVCell => cells.get(at))]),
  );
  return byteOrderMark + head + rows.join('');
}

/** A line with several values in a point has columns for the lowest and the highest as well. */
function columnsOf(names: readonly string[], unit: string, { points }: SeriesLine) {
  const name = names.filter((one) => one !== '').join(' ') + (unit === '' ? '' : ` (${unit})`);
  const column = (suffix: string, member: 'mean' | 'min' | 'max') => ({
    name: name + suffix,
    cells: new Map(points.map((point) => [point.at, point[member]])),
  });
  if (points.every(({ min, max }) => min === max)) return [column('', 'mean')];
  return [column(', mean', 'mean'), column(', minimum', 'min'), column(', maximum', 'max')];
}
