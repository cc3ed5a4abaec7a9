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

/** Separate from `resources.ts`, because the sign-in page loads that one and shows no icons. */
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
