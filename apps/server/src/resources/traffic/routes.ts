import type { Operations } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { type TrafficDependencies, trafficOf } from './traffic.ts';

export function trafficRoutes(needs: TrafficDependencies): Handlers<Operations['traffic']> {
  return { get: ({ organizationID }) => trafficOf(needs, toFilterID(organizationID)) };
}
