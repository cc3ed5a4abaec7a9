import type { SliceLink } from '../../components/chart/chart-data.ts';
import { devicesWith, gatewaysWith } from '../../components/filters/list-links.ts';
import { paths } from '../../paths.ts';
import type { StateLinks } from './summary-slices.ts';

/** The lists that the figures of a dashboard count. */
export interface ListLinks {
  devices: StateLinks & { readonly all: SliceLink };
  gateways: StateLinks & { readonly all: SliceLink };
  dataRate: (dr: number) => SliceLink;
}

/** Of one organization, or of all organizations ('0'). */
export function listLinksOf(organizationID: string): ListLinks {
  const isAll = organizationID === '0';
  const devices = isAll ? paths.allDevices() : paths.organizationDevices(organizationID);
  const gateways = isAll ? paths.allGateways() : paths.gateway.list(organizationID);
  return {
    devices: {
      all: { to: devices },
      active: { to: devices, search: devicesWith('state', 'active') },
      inactive: { to: devices, search: devicesWith('state', 'inactive') },
      neverSeen: { to: devices, search: devicesWith('state', 'neverSeen') },
    },
    gateways: {
      all: { to: gateways },
      active: { to: gateways, search: gatewaysWith('state', 'online') },
      inactive: { to: gateways, search: gatewaysWith('state', 'offline') },
      neverSeen: { to: gateways, search: gatewaysWith('state', 'neverSeen') },
    },
    dataRate: (dr) => ({ to: devices, search: devicesWith('dr', String(dr)) }),
  };
}
