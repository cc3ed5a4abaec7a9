import type { Operations, ResponseOf } from '@hilltop/contract';
import { SimpleGrid } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chart } from '../../components/chart/chart.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { dataRates, states } from './summary-slices.ts';

interface Props {
  devices: UseQueryResult<ResponseOf<Operations['internal']['getDevicesSummary']>>;
  gateways: UseQueryResult<ResponseOf<Operations['internal']['getGatewaysSummary']>>;
}

/** Three doughnuts: devices by state, gateways by state, devices by data-rate. */
export function SummaryCards({ devices, gateways }: Props) {
  const deviceStates = useMemo(() => devices.data && states(devices.data), [devices.data]);
  const gatewayStates = useMemo(() => gateways.data && states(gateways.data), [gateways.data]);
  const usage = useMemo(() => devices.data && dataRates(devices.data.drCount), [devices.data]);
  const failed = devices.isError ? devices : gateways.isError ? gateways : undefined;
  if (failed) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <Chart title="Active devices" data={deviceStates} />
      <Chart title="Active gateways" data={gatewayStates} />
      <Chart title="Device data-rate usage" data={usage} />
    </SimpleGrid>
  );
}
