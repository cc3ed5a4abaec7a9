import { type AuditSubjectKind, auditSubject } from '@hilltop/contract/audit';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { LastSeen } from '../last-seen/last-seen.tsx';
import { AppLink } from '../link/link.tsx';
import { type IDs, useIDs } from '../link/use-ids.ts';
import classes from '../page-header/page-header.module.css';

/** The record of a page, by the most specific id in its address. */
const subjects: readonly [name: keyof IDs, kind: AuditSubjectKind][] = [
  ['devEUI', 'device'],
  ['multicastGroupID', 'multicastGroup'],
  ['gatewayID', 'gateway'],
  ['deviceProfileID', 'deviceProfile'],
  ['serviceProfileID', 'serviceProfile'],
  ['gatewayProfileID', 'gatewayProfile'],
  ['networkServerID', 'networkServer'],
  ['applicationID', 'application'],
  ['organizationID', 'organization'],
];

/** When the record of this page was last changed, and by whom: a link to the audit log, beside the title. */
export function LastChangedLine() {
  return (
    <dl className={classes.facts}>
      <LastChange />
    </dl>
  );
}

function LastChange() {
  const ids = useIDs();
  const [name, kind] = subjects.find(([name]) => ids[name] !== '') ?? [];
  return name && kind ? <IfReadable kind={kind} id={ids[name]} organizationID={ids.organizationID} /> : null;
}

interface Of {
  kind: AuditSubjectKind;
  id: string;
  organizationID: string;
}

function IfReadable(of: Of) {
  const isOffered = useOffered('audit', 'list');
  const mayRead = useMay()('audit.list', of.organizationID || undefined);
  return isOffered && mayRead ? <Shown {...of} /> : null;
}

function Shown({ kind, id, organizationID }: Of) {
  const subject = auditSubject(kind, id);
  const of = organizationID === '' ? {} : { organizationID };
  const { data } = useQuery({
    ...query('audit', 'list', { ...of, subject, changesOnly: true, limit: 1 }),
    // What changes the record reads this again.
    queryKey: [kind, 'getLastChange', subject],
  });
  const last = data?.result[0];
  return (
    <div className={classes.fact} data-wide>
      <dt>Last changed</dt>
      <dd className={classes.value} style={{ minWidth: '20ch' }}>
        {last ? (
          <AppLink
            to={organizationID === '' ? paths.audit() : paths.organizationAudit(organizationID)}
            search={{ subject } as never}
          >
            <LastSeen at={last.at} />
            {last.actorName !== '' && ` by ${last.actorName}`}
          </AppLink>
        ) : (
          '–'
        )}
      </dd>
    </div>
  );
}
