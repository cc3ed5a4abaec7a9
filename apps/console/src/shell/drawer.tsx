import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Entry, useEntries } from './entries.ts';
import { OrganizationPicker } from './organization-picker.tsx';
import classes from './shell.module.css';

export function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { administration, organization } = useEntries();

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
        {administration.length > 0 && (
          <>
            <div className={classes.heading}>Administration</div>
            <Entries entries={administration} />
          </>
        )}
        <div className={classes.picker}>
          <OrganizationPicker />
        </div>
        {organization.length > 0 && <Entries entries={organization} />}
      </nav>
    </>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, '') });
  return (
    <ul className={classes.entries}>
      {entries.map(({ label, to, Icon, exact = false }) => {
        const isCurrent =
          pathname === to ||
          (exact ? pathname === `${to}/edit` || pathname === `${to}/create` : pathname.startsWith(`${to}/`));
        return (
          <li key={to}>
            <Link
              to={to}
              className={classes.entry}
              data-current={isCurrent || undefined}
              {...(isCurrent && { 'aria-current': 'page' })}
            >
              <Icon size={18} stroke={1.7} />
              {label}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
