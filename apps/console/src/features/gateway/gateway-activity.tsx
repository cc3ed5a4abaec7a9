import { Skeleton } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { useStatsWindow } from '../../components/chart/stats-window.ts';

/** Frames received and sent by a gateway on each of the last 30 days. Loaded only when the row is visible. */
export function GatewayActivity({ gatewayID }: { gatewayID: string }) {
  const { ref, inViewport } = useInViewport();
  const window = useStatsWindow({ days: 29 });
  const { data } = useQuery({ ...query('gateway', 'getStats', { gatewayID, ...window }), enabled: inViewport });
  const values = data?.result.map((day) => day.rxPacketsReceivedOK + day.txPacketsEmitted);
  return (
    <div ref={ref} style={{ width: '100%', maxWidth: 380, minWidth: 120 }}>
      {values ? <Sparkline label="Gateway activity" values={values} /> : <Skeleton height={23} />}
    </div>
  );
}
