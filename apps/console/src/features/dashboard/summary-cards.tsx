import type { Operations, ResponseOf } from '@hilltop/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Doughnut } from '../../components/chart/doughnut.tsx';
import type { ListLinks } from './list-links.ts';
import classes from './summary-cards.module.css';
import { dataRates, states } from './summary-slices.ts';

interface Props {
  devices: UseQueryResult<ResponseOf<Operations['internal']['getDevicesSummary']>>;
  gateways: UseQueryResult<ResponseOf<Operations['internal']['getGatewaysSummary']>>;
  links: ListLinks;
}

/**
 * Three doughnuts: devices by status, gateways by status, devices by data-rate. A failed one does not affect the
 * others.
 */
export function SummaryCards({ devices, gateways, links }: Props) {
  const deviceStates = useMemo(() => devices.data && states(devices.data, links.devices), [devices.data, links]);
  const gatewayStates = useMemo(() => gateways.data && states(gateways.data, links.gateways), [gateways.data, links]);
  const usage = useMemo(() => devices.data && dataRates(devices.data.drCount, links.dataRate), [devices.data, links]);
  const ofDevices = { noun: 'device', error: devices.error, retry: () => void devices.refetch() };
  const ofGateways = { noun: 'gateway', error: gateways.error, retry: () => void gateways.refetch() };
  return (
    <div className={classes.cards}>
      <Doughnut title="Active devices" data={deviceStates} {...ofDevices} />
      <Doughnut title="Active gateways" data={gatewayStates} {...ofGateways} />
      <Doughnut title="Device data-rate usage" data={usage} {...ofDevices} />
    </div>
  );
}
