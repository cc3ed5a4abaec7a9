import type { AuditChange, AuditEntry } from '@hilltop/contract';
import { type AuditSubjectKind, auditSubject, auditSubjects } from '@hilltop/contract/audit';
import { Button, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { operationWords } from '../../components/audit/operation-words.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import classes from './audit.module.css';
import { subjectAddress } from './audit-words.ts';

interface Props {
  entries: readonly AuditEntry[];
  /** Shows only the entries of this person or subject. */
  onFilter: (filter: { actor?: string; subject?: string }) => void;
}

/** Entries of the audit log; each opens to what was different before. */
export function AuditRows({ entries, onFilter }: Props) {
  return (
    <ol className={classes.rows} aria-label="Audit log">
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} onFilter={onFilter} />
      ))}
    </ol>
  );
}

function AuditRow({ entry, onFilter }: { entry: AuditEntry; onFilter: Props['onFilter'] }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const words = operationWords(entry.operation);
  return (
    <li className={classes.row}>
      <UnstyledButton
        className={classes.line ?? ''}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron size={16} aria-hidden />
        <span className={classes.time}>
          <LastSeen at={entry.at} />
        </span>
        <span className={classes.words}>
          {words}
          {entry.outcome !== 'OK' && <Status tone="inactive">Refused</Status>}
        </span>
        <span className={classes.subject}>{entry.subjectName || entry.subjectID}</span>
        <span className={classes.person}>{entry.actorName || 'Unknown'}</span>
      </UnstyledButton>
      <div id={id}>{isOpen && <Details entry={entry} onFilter={onFilter} />}</div>
    </li>
  );
}

function Details({ entry, onFilter }: { entry: AuditEntry; onFilter: Props['onFilter'] }) {
  const { changes, isCut, subjectKind, subjectID, subjectName, actorName, address, at, outcome } = entry;
  const { requestID, jobID, organizationID } = entry;
  const kind = subjectKind as AuditSubjectKind;
  const to = subjectAddress(entry);
  const name = subjectName || subjectID;
  return (
    <div className={classes.details}>
      <dl className={classes.facts}>
        <dt>Time</dt>
        <dd>{at}</dd>
        <dt>Person</dt>
        <dd>
          {actorName || 'Unknown'} {address && `at ${address}`}
        </dd>
        <dt>Subject</dt>
        <dd>
          {auditSubjects[kind] ?? kind} {to ? <AppLink to={to}>{name}</AppLink> : name}
        </dd>
        <dt>Operation</dt>
        <dd>
          <code>{entry.operation}</code> {outcome !== 'OK' && `refused: ${outcome}`}
        </dd>
        {jobID && <dt>Job</dt>}
        {jobID && (
          <dd>{organizationID === '0' ? jobID : <AppLink to={paths.job(organizationID, jobID)}>{jobID}</AppLink>}</dd>
        )}
        {requestID && <dt>Request ID</dt>}
        {requestID && (
          <dd>
            <code>{requestID}</code>
          </dd>
        )}
      </dl>
      {changes.length > 0 ? (
        <Changes changes={changes} />
      ) : (
        <p className={classes.none}>{jobID ? 'The job says what it changes.' : 'No field is different.'}</p>
      )}
      {isCut && <p className={classes.none}>There were more changes.</p>}
      <div className={classes.filters}>
        {actorName !== '' && (
          <Button variant="default" size="xs" onClick={() => onFilter({ actor: actorName })}>
            Only this person
          </Button>
        )}
        {subjectID !== '' && (
          <Button variant="default" size="xs" onClick={() => onFilter({ subject: auditSubject(kind, subjectID) })}>
            Only this subject
          </Button>
        )}
      </div>
    </div>
  );
}

function Changes({ changes }: { changes: readonly AuditChange[] }) {
  return (
    <div className={classes.scroller}>
      <table className={classes.changes}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.field}>
              <th scope="row">
                <code>{change.field}</code>
              </th>
              <td>{change.secret === 'NONE' ? change.before || '–' : hiddenBefore[change.secret]}</td>
              <td>
                {change.secret === 'NONE' ? change.after || '–' : hiddenAfter[change.secret]}
                {change.isCut && ' … (shortened)'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Values of secrets are not stored. */
const hiddenBefore = { SET: '–', CHANGED: 'a secret', REMOVED: 'a secret' } as const;
const hiddenAfter = { SET: 'a secret', CHANGED: 'another secret', REMOVED: '–' } as const;
