import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { query } from '../../api/queries.ts';
import { readValues } from './read-values.ts';
import { deviceOf } from './use-device.ts';
import { useKnownEvents } from './use-last-events.tsx';
import { type ValuesAddress, valueRanges } from './values-address.ts';
import { chartsOf, countedFields, type DrawnDevice, decodedFields, ownOf, usualOf } from './values-charts.ts';

/** A live page does not read more often. */
const pauseMs = 3000;

export const fieldsOf = (devEUI: string) => query('series', 'listFields', { devEUI });

/** The fields of a device and the charts of those that are chosen, live. */
export function useDeviceValues(
  devEUI: string,
  name: string,
  { range, between, fields: chosen, compared }: ValuesAddress,
) {
  const fields = useQuery({ ...fieldsOf(devEUI), staleTime: 0 });
  const known = fields.data?.result;
  const others = useNames(compared);
  const decoded = useMemo(() => decodedFields(known ?? []), [known]);
  const drawn = useSame(chosen ?? usualOf(decoded));
  const own = ownOf(known ?? []);
  const rangeMs = between ? between.to - between.from : valueRanges[range].ms;
  const values = useQuery({
    queryKey: ['series', 'values', devEUI, compared, drawn, own, range, between],
    queryFn: ({ signal }) => {
      const to = between?.to ?? Date.now();
      const request = { from: to - rangeMs, to, fields: [...drawn, ...own], counters: countedFields };
      return readValues({ ...request, devEUIs: [devEUI, ...compared] }, signal);
    },
    enabled: known !== undefined && known.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  useRefetch(between === undefined, () => Promise.all([fields.refetch(), values.refetch()]));
  const devices = useSame<DrawnDevice[]>([{ devEUI, name }, ...others]);
  const charts = useMemo(
    () => chartsOf({ fields: known ?? [], chosen: drawn, devices }, values.data),
    [known, drawn, devices, values.data],
  );
  return { fields, values, decoded, drawn, charts, others };
}

/** The same reference while the contents are equal. */
function useSame<Of>(value: Of): Of {
  const text = JSON.stringify(value);
  return useMemo(() => JSON.parse(text) as Of, [text]);
}

/** Refetches after events of the device. */
function useRefetch(isLive: boolean, refetch: () => Promise<unknown>): void {
  const { up, join, status, error } = useKnownEvents();
  const newest = [up, join, status, error].map((one) => one?.streamID ?? '').join(' ');
  const lastMs = useRef(Date.now());
  useEffect(() => {
    if (!isLive || newest.trim() === '') return;
    const timer = setTimeout(
      () => {
        lastMs.current = Date.now();
        void refetch();
      },
      Math.max(0, lastMs.current + pauseMs - Date.now()),
    );
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per event
  }, [newest, isLive]);
}

/** The compared devices with their names; an EUI while its name is loading. */
function useNames(devEUIs: readonly string[]): DrawnDevice[] {
  const read = useQueries({ queries: devEUIs.map((devEUI) => deviceOf(devEUI)) });
  return devEUIs.map((devEUI, index) => ({ devEUI, name: read[index]?.data?.device.name ?? devEUI }));
}
