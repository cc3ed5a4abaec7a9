import { TroubledIntegrations } from './troubled-integrations.tsx';

/** What needs attention in an organization, or in all organizations ('0'): nothing as long as all is well. */
export function Attention({ organizationID }: { organizationID: string }) {
  return <TroubledIntegrations organizationID={organizationID} />;
}
