import { Button, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { Identifier } from '../copy/copy.tsx';
import { LastChangedLine } from '../last-changed/last-changed.tsx';
import { LastSeen } from '../last-seen/last-seen.tsx';
import classes from './page-header.module.css';
import { PageHeader } from './page-header.tsx';
import type { PageTab } from './page-tabs.tsx';
import { useSection } from './use-section.ts';

/** A key fact of a record. An empty value is shown as a dash. */
export interface RecordFact {
  name: string;
  value: ReactNode;
  /** How many characters to keep free for a value that arrives after the page or changes while it is open. */
  width?: number;
  /** A name, which gets a line of its own on a phone. */
  isLong?: boolean;
  /** The whole text of a value that may be cut. */
  full?: string | undefined;
}

interface Props {
  crumbs: { label: string; to: string | undefined }[];
  title: string;
  /** How people tell this record from others; `of` names it for the copy button: "Copy device EUI". */
  identifier: { name: string; value: string; of: string };
  state?: ReactNode;
  /** Absent: records of this kind are never heard. */
  lastSeenAt?: string | null;
  /** Facts that change while the page is open come last, so that nothing after them moves. */
  facts?: readonly RecordFact[];
  /** The action that most users come for. */
  primary?: ReactNode;
  /** Other actions; the one that deletes the record is the last. */
  actions?: ReactNode;
  tabs?: readonly PageTab[];
}

/**
 * The header of one record: title, one line of key facts on every tab, the primary action first. On a phone, the facts
 * are folded on all tabs but the first.
 */
export function RecordHeader({ identifier, state, lastSeenAt, facts = [], primary, actions, ...rest }: Props) {
  const { name, value, of } = identifier;
  const { tabs = [] } = rest;
  const isFoldable = useSection(tabs) !== undefined && facts.length > 0;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <PageHeader
      {...rest}
      badges={<LastChangedLine />}
      actions={
        <>
          {primary}
          {actions}
        </>
      }
      facts={
        <>
          <dl id={id} className={classes.facts} data-folded={(isFoldable && !isOpen) || undefined}>
            <div className={classes.fact}>
              <dt>{name}</dt>
              <dd>
                <Identifier value={value} label={of} />
              </dd>
            </div>
            {state && <Fact name="State" isNameHidden value={state} />}
            {lastSeenAt !== undefined && <Fact name="Last seen" value={<LastSeen at={lastSeenAt} />} />}
            {facts.map((fact) => (
              <Fact key={fact.name} isKey {...fact} />
            ))}
          </dl>
          {isFoldable && (
            <Button
              variant="subtle"
              size="compact-sm"
              className={classes.fold ?? ''}
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Less' : 'More'}
            </Button>
          )}
        </>
      }
    />
  );
}

function Fact({
  name,
  value,
  width,
  full,
  isLong = full !== undefined,
  isNameHidden = false,
  isKey = false,
}: RecordFact & { isNameHidden?: boolean; isKey?: boolean }) {
  return (
    <div className={classes.fact} data-wide={isLong || undefined} data-key={isKey || undefined}>
      {isNameHidden ? <VisuallyHidden component="dt">{name}</VisuallyHidden> : <dt>{name}</dt>}
      <dd className={classes.value} title={full} style={width === undefined ? undefined : { minWidth: `${width}ch` }}>
        {value || '–'}
      </dd>
    </div>
  );
}
