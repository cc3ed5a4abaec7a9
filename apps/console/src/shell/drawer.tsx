import { IconChevronDown } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useKnowsLimits } from '../session/session.tsx';
import { isAdministrationOpen, storeAdministrationOpen } from '../session/storage.ts';
import { currentEntry, type Entry, useNavigation } from './entries.ts';
import { optionalPart } from './optional-part.ts';
import { OrganizationPicker } from './organization-picker.tsx';
import classes from './shell.module.css';

/** Loaded after the first paint. */
const EntryBadge = optionalPart(() => import('./entry-badge.tsx').then((m) => m.default));

export function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { administration, organization } = useNavigation();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const all = [...organization.flatMap(({ entries }) => entries), ...(administration ?? [])];
  const current = currentEntry(all, pathname);

  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && matchMedia('(max-width: 48em)').matches) onClose();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen, onClose]);

  return (
    <>
      <button
        type="button"
        className={classes.shade}
        data-open={isOpen || undefined}
        aria-label="Close the navigation"
        tabIndex={-1}
        onClick={onClose}
      />
      <nav id="navigation" className={classes.drawer} data-open={isOpen || undefined} aria-label="Main" inert={!isOpen}>
        <div className={classes.picker}>
          <OrganizationPicker />
        </div>
        {organization.map(({ label, entries }) => (
          <Group key={entries[0]?.to} {...(label !== undefined && { label })} entries={entries} current={current} />
        ))}
        {administration && <Administration entries={administration} current={current} />}
      </nav>
    </>
  );
}

interface GroupProps {
  entries: Entry[];
  /** The address of the current entry. */
  current: string | undefined;
}

function Group({ label, ...rest }: GroupProps & { label?: string }) {
  return (
    <>
      {label !== undefined && (
        <div className={classes.heading} aria-hidden>
          {label}
        </div>
      )}
      <Entries {...rest} {...(label !== undefined && { label })} />
    </>
  );
}

/** A group that can be closed, and stays so in this browser. Its heading marks that it contains the current page. */
function Administration({ entries, current }: GroupProps) {
  const [isOpen, setOpen] = useState(isAdministrationOpen);
  const hasCurrent = entries.some(({ to }) => to === current);
  const label = 'Administration';
  return (
    <div className={classes.apart}>
      <button
        type="button"
        className={classes.fold}
        aria-expanded={isOpen}
        aria-controls="administration"
        data-current={(hasCurrent && !isOpen) || undefined}
        onClick={() => {
          storeAdministrationOpen(!isOpen);
          setOpen(!isOpen);
        }}
      >
        {label}
        <IconChevronDown size={16} aria-hidden />
      </button>
      <div id="administration" hidden={!isOpen}>
        <Entries entries={entries} current={current} label={label} />
      </div>
    </div>
  );
}

function Entries({ entries, current, label }: GroupProps & { label?: string }) {
  const mayCount = useKnowsLimits();
  return (
    <ul className={classes.entries} aria-label={label}>
      {entries.map(({ label: name, to, Icon, counts }) => {
        const isCurrent = to === current;
        return (
          <li key={to}>
            <Link
              to={to}
              className={classes.entry}
              // By itself the router also marks every entry above the page.
              activeOptions={{ exact: true }}
              data-current={isCurrent || undefined}
              {...(isCurrent && { 'aria-current': 'page' })}
            >
              <Icon size={18} stroke={1.7} />
              {name}
              {counts !== undefined && mayCount && (
                <Suspense>
                  <EntryBadge {...counts} />
                </Suspense>
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
