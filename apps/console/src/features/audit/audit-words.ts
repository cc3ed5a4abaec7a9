import type { AuditEntry } from '@hilltop/contract';
import type { AuditSubjectKind } from '@hilltop/contract/audit';
import { paths } from '../../paths.ts';

/** The page of a record, where the console has one. */
export function subjectAddress({ subjectKind, subjectID, organizationID }: AuditEntry): string | undefined {
  const kind = subjectKind as AuditSubjectKind;
  if (subjectID === '') return undefined;
  if (kind === 'organization' || kind === 'networkServer' || kind === 'gatewayProfile' || kind === 'user')
    return paths[kind].one(subjectID);
  if (organizationID === '0') return undefined;
  if (kind === 'application' || kind === 'gateway' || kind === 'deviceProfile' || kind === 'serviceProfile')
    return paths[kind].one(organizationID, subjectID);
  if (kind === 'alertRule') return paths.alertRule(organizationID, subjectID);
  return kind === 'job' ? paths.job(organizationID, subjectID) : undefined;
}
