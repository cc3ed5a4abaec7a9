import {
  type Icon,
  IconAntenna,
  IconAppWindow,
  IconBuilding,
  IconCpu,
  IconRouter,
  IconServer2,
  IconShieldCheck,
  IconUsers,
} from '@tabler/icons-react';
import type { Resource } from './resources.ts';

/** Apart from what the addresses are made of, as the sign-in shows none of them. */
export const iconOf: Record<Resource, Icon> = {
  networkServer: IconServer2,
  gatewayProfile: IconRouter,
  organization: IconBuilding,
  user: IconUsers,
  serviceProfile: IconShieldCheck,
  deviceProfile: IconCpu,
  gateway: IconAntenna,
  application: IconAppWindow,
};
