import type { Operations, ResponseOf } from '@hilltop/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Doughnut } from '../../components/chart/doughnut.tsx';
import classes from './summary-cards.module.css';
import { dataRates, type StateLinks, states } from './summary-slices.ts';

interface Props {
  devices: UseQueryResult<ResponseOf<Operations['internal']['getDevicesSummary']>>;
  gateways: UseQueryResult<ResponseOf<Operations['internal']['getGatewaysSummary']>>;
  deviceLinks: StateLinks;
  gatewayLinks: StateLinks;
}

/**
 * Three doughnuts: devices by status, gateways by status, devices by data-rate. A failed one does not affect the
 * others.
 */
export function SummaryCards({ devices, gateways, deviceLinks, gatewayLinks }: Props) {
  const deviceStates = useMemo(() => devices.data && states(devices.data, deviceLinks), [devices.data, deviceLinks]);
  const gatewayStates = useMemo(
    () => gateways.data && states(gateways.data, gatewayLinks),
    [gateways.data, gatewayLinks],
  );
  const usage = useMemo(() => devices.data && dataRates(devices.data.drCount), [devices.data]);
  const ofDevices = { noun: 'devices', error: devices.error, retry: () => void devices.refetch() };
  const ofGateways = { noun: 'gateways', error: gateways.error, retry: () => void gateways.refetch() };
  return (
    <div className={classes.cards}>
      <Doughnut title="Active devices" data={deviceStates} {...ofDevices} />
      <Doughnut title="Active gateways" data={gatewayStates} {...ofGateways} />
      <Doughnut title="Device data-rate usage" data={usage} {...ofDevices} />
    </div>
  );
}
