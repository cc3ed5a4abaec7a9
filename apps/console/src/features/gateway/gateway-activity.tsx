import type { Operations, ResponseOf } from '@hilltop/contract';
import { Skeleton } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query, type Read } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { useStatsWindow } from '../../components/chart/stats-window.ts';
import classes from './gateway.module.css';

/** Today's bar grows slowly. */
const staleMs = 60_000;

interface Props {
  gatewayID: string;
  /** The page of the list with the activity of its gateways: one request for all rows. */
  page: Read<ResponseOf<Operations['gateway']['list']>>;
}

/** Frames received and sent by a gateway on each of the last 30 days. */
export function GatewayActivity({ gatewayID, page }: Props) {
  const isIncluded = useChoices(page, 'include')?.includes('activity');
  const { data } = useQuery({
    ...page,
    enabled: isIncluded === true,
    staleTime: staleMs,
    placeholderData: keepPreviousData,
  });
  if (isIncluded === false) return <ActivityOfOne gatewayID={gatewayID} />;
  return <Bars values={data?.result.find(({ id }) => id === gatewayID)?.activity?.framesPerDay} />;
}

/** From a server whose list has no activity: asked for when the row is visible. */
function ActivityOfOne({ gatewayID }: { gatewayID: string }) {
  const { ref, inViewport } = useInViewport();
  const window = useStatsWindow({ days: 29 });
  const { data } = useQuery({ ...query('gateway', 'getStats', { gatewayID, ...window }), enabled: inViewport });
  return (
    <div ref={ref}>
      <Bars values={data?.result.map((day) => day.rxPacketsReceivedOK + day.txPacketsEmitted)} />
    </div>
  );
}

function Bars({ values }: { values: readonly number[] | undefined }) {
  return (
    <div className={classes.activity}>
      {values ? <Sparkline label="Gateway activity" values={values} /> : <Skeleton height={23} />}
    </div>
  );
}
