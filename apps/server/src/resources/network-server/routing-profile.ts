import type { ns } from '@hilltop/protobuf';
import { uuidBytes } from '../../http/identifiers.ts';

/** This application server, by the id under which network servers know it and which devices and gateways name. */
export const routingProfileID = uuidBytes('6d5db27e-4ce2-4b2b-b5d7-91f069397978');

/** How a network server reaches us: the embedded one directly. */
export function toRoutingProfile(keys: { caCert: string; tlsCert: string; tlsKey: string }): ns.RoutingProfile {
  return { id: routingProfileID, asId: 'embedded', ...keys };
}
