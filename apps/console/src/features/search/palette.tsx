import { Combobox, Modal, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import classes from './palette.module.css';
import { type Destination, useDestinations } from './use-destinations.ts';

const name = 'Search or go to';

/** Goes anywhere by keyboard. Each higher number in `asked` opens it. */
export function Palette({ asked }: { asked: number }) {
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
      classNames={{ header: classes.header ?? '', body: classes.body ?? '' }}
    >
      <Choices onClose={close} />
    </Modal>
  );
}

function Choices({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const { groups, isFetching } = useDestinations(text);
  const listID = useId();
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose });
  const all = groups.flatMap(({ destinations }) => destinations);
  const shown = all.map(({ key }) => key).join();

  const { selectFirstOption } = combobox;
  // oxlint-disable-next-line react/exhaustive-deps -- whenever other choices are shown, the first of them is the one Enter takes
  useEffect(() => void selectFirstOption(), [shown]);

  function go(key: string) {
    const destination = all.find((one) => one.key === key);
    if (!destination) return;
    onClose();
    void navigate({ to: destination.to, search: destination.search ?? {} });
  }

  return (
    <Combobox store={combobox} onOptionSubmit={go}>
      {/* The list is always there; the target would only learn of it when it is drawn again. */}
      <Combobox.EventsTarget withExpandedAttribute aria-expanded aria-controls={listID}>
        <TextInput
          data-autofocus
          variant="unstyled"
          aria-label={name}
          placeholder="Organization, application, gateway, device or page"
          leftSection={<IconSearch size={18} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options id={listID} className={classes.choices ?? ''} aria-label={name} aria-busy={isFetching}>
        {groups.map(({ label, destinations }) =>
          destinations.length === 0 ? null : (
            <Combobox.Group key={label} label={label}>
              {destinations.map((one) => (
                <Choice key={one.key} destination={one} />
              ))}
            </Combobox.Group>
          ),
        )}
      </Combobox.Options>
    </Combobox>
  );
}

function Choice({ destination: { key, label, detail, Icon } }: { destination: Destination }) {
  return (
    <Combobox.Option value={key} className={classes.choice ?? ''}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div>
        {label}
        {detail && (
          <Text component="span" size="xs" c="dimmed" className={classes.detail ?? ''}>
            {detail}
          </Text>
        )}
      </div>
    </Combobox.Option>
  );
}
