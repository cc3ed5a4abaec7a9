import { Kbd, Modal, TextInput, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import listClasses from '../../components/combobox/options.module.css';
import { useOptions } from '../../components/combobox/use-options.ts';
import { DestinationOption } from './destination-option.tsx';
import classes from './palette.module.css';
import { shortcutsKey, useDestinations } from './use-destinations.ts';

const name = 'Search or go to';

const hints = [
  { keys: ['↑', '↓'], does: 'move' },
  { keys: ['Enter'], does: 'open' },
  { keys: ['Esc'], does: 'close' },
  { keys: ['?'], does: 'all shortcuts, on any page' },
] as const;

/** The command palette: opens any page by keyboard. A higher number in `asked` opens it. */
export function Palette({ asked, onShortcuts }: { asked: number; onShortcuts: () => void }) {
  const [closed, setClosed] = useState(0);
  const close = () => setClosed(asked);
  return (
    <Modal
      opened={asked > closed}
      onClose={close}
      title={<VisuallyHidden>{name}</VisuallyHidden>}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      size={600}
      classNames={{
        inner: classes.inner ?? '',
        content: classes.content ?? '',
        header: classes.header ?? '',
        body: classes.body ?? '',
      }}
    >
      <Choices onClose={close} onShortcuts={onShortcuts} />
    </Modal>
  );
}

function Choices({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const { groups, isPending, problem } = useDestinations(text);
  const all = groups.flatMap(({ destinations }) => destinations);

  function go(key: string) {
    const destination = all.find((one) => one.key === key);
    if (!destination) return;
    onClose();
    if (key === shortcutsKey) return onShortcuts();
    void navigate({ to: destination.to, search: destination.search ?? {} });
  }

  const keys = all.map(({ key }) => key);
  const { box, list, option } = useOptions({ text, keys, isOpen: true, takesFirst: true, onChoose: go, onClose });
  return (
    <>
      <TextInput
        {...box}
        data-autofocus
        variant="unstyled"
        aria-label={name}
        placeholder="Organization, application, gateway, device or page"
        leftSection={<IconSearch size={18} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div
        {...list}
        className={`${listClasses.list} ${classes.choices}`}
        aria-label={name}
        aria-busy={isPending || undefined}
      >
        {groups.map(({ label, destinations }) =>
          destinations.length === 0 ? null : (
            <div key={label} role="group" aria-label={label}>
              {destinations.length > 1 && (
                <div className={listClasses.heading} aria-hidden>
                  {label}
                </div>
              )}
              {destinations.map((one) => (
                <DestinationOption key={one.key} destination={one} {...option(one.key)} />
              ))}
            </div>
          ),
        )}
      </div>
      <p className={classes.problem} role="status">
        {problem}
      </p>
      <div className={classes.keys} aria-hidden>
        {hints.map(({ keys, does }) => (
          <span key={does}>
            {keys.map((key) => (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ))}{' '}
            {does}
          </span>
        ))}
      </div>
    </>
  );
}
