import { invalidFields, mostSeriesDays, type Operations, quantityOfField, seriesPoints } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { KnownField } from '../../history/field-list.ts';
import type { History } from '../../history/history.ts';
import type { Handlers } from '../../http/call.ts';
import { callerKey } from '../../identity/name-of.ts';
import { loadDevice } from '../device/store.ts';

const mostMs = mostSeriesDays * 86_400_000;

interface SeriesRoutesDependencies {
  database: Database;
  history: Pick<History, 'fields' | 'series'>;
}

export function seriesRoutes({ database, history }: SeriesRoutesDependencies): Handlers<Operations['series']> {
  const ownerOf = async (devEUI: string) => {
    const { last_event: last, log_from: above } = await loadDevice(database, devEUI);
    return { devEUI, last, above };
  };

  return {
    listFields: async ({ devEUI }, { principal }) => {
      const { fields, omitted, omittedField } = await history.fields(await ownerOf(devEUI), callerKey(principal));
      return { result: fields.map(toSeriesField), omitted, omittedField };
    },
    get: async ({ devEUI, fields, points, ...range }, { principal }) => {
      const [start, end] = [Date.parse(range.start!), Date.parse(range.end!)];
      if (end - start > mostMs)
        throw invalidFields([{ field: 'end', description: `Must be at most ${mostSeriesDays} days after the start.` }]);
      const { stepMs, isComplete, result } = await history.series(
        {
          ...(await ownerOf(devEUI)),
          ...{ fields: [...new Set(fields)], start, end },
          points: points === 0 ? seriesPoints.usual : Math.max(points, seriesPoints.least),
        },
        callerKey(principal),
      );
      const answered = result.map(({ field, at, count, mean, min, max }) => ({
        ...{ field, at: [...at], count: [...count] },
        ...{ mean: [...mean], min: [...min], max: [...max] },
      }));
      return { stepMs, isRaw: stepMs === 0, isComplete, result: answered };
    },
  };
}

function toSeriesField({ field, kind, since, lastAt, lastValue, quantity, unit }: KnownField) {
  const named = quantityOfField(field);
  return {
    ...{ field, kind, lastValue },
    ...{ since: new Date(since).toISOString(), lastAt: new Date(lastAt).toISOString() },
    quantity: quantity || (named?.quantity ?? ''),
    unit: unit || (named?.unit ?? ''),
  };
}
