import type { Downlink } from '@hilltop/contract';
import { Button, Group, Paper, Text, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconSend } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { CopyButton } from '../copy/copy.tsx';
import { formatLogTime } from '../last-seen/dates.ts';
import { Status } from '../status/status.tsx';
import classes from './downlink.module.css';
import { stateText, stateTone, stepDetails, stepText } from './downlink-words.ts';

interface Props {
  downlinks: readonly Downlink[];
  /** Fills the form with a downlink; absent for users who may not send. */
  onAgain?: ((downlink: Downlink) => void) | undefined;
}

/** The last downlinks; each opens into its bytes and steps. */
export function SentDownlinks({ downlinks, onAgain }: Props) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id}>
      <Title order={2} id={id} mb="sm">
        Sent lately
      </Title>
      {downlinks.length === 0 && (
        <Text c="dimmed" size="sm">
          What happened to each downlink is shown here for 30 days.
        </Text>
      )}
      <ul className={classes.sent}>
        {downlinks.map((downlink) => (
          <SentDownlink key={downlink.id} downlink={downlink} onAgain={onAgain} />
        ))}
      </ul>
    </Paper>
  );
}

function SentDownlink({ downlink, onAgain }: { downlink: Downlink; onAgain: Props['onAgain'] }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  const { createdAt, fPort, fCnt, reference } = downlink;
  return (
    <li>
      <UnstyledButton
        className={classes.summary ?? ''}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={16} aria-hidden />
        <span>{formatLogTime(createdAt ?? '')}</span>
        <Status tone={stateTone(downlink)}>{stateText(downlink)}</Status>
        <span className={classes.numbers}>
          FPort {fPort}, FCnt {fCnt}
          {reference !== '' && `, ${reference}`}
        </span>
      </UnstyledButton>
      <div id={id}>{isOpen && <Opened downlink={downlink} onAgain={onAgain} />}</div>
    </li>
  );
}

function Opened({ downlink, onAgain }: { downlink: Downlink; onAgain: Props['onAgain'] }) {
  const { data, steps, stepsLeftOut, state } = downlink;
  return (
    <div className={classes.opened}>
      {state === 'UNACKNOWLEDGED' && (
        <Text size="sm">It was sent, and the device did not acknowledge it. It may have received it all the same.</Text>
      )}
      <Bytes bytes={Uint8Array.fromBase64(data ?? '')} />
      <ol className={classes.steps}>
        {steps.map((step, at) => (
          <li key={`${at} ${step.step}`}>
            <span>{formatLogTime(step.at ?? '')}</span>
            <span>{stepText(step)}</span>
            <span className={classes.details}>{stepDetails(step)}</span>
          </li>
        ))}
        {stepsLeftOut > 0 && <li>{stepsLeftOut} more steps are not stored.</li>}
      </ol>
      {onAgain && (
        <Button size="xs" variant="default" leftSection={<IconSend size={14} />} onClick={() => onAgain(downlink)}>
          Send again
        </Button>
      )}
    </div>
  );
}

/** Bytes that are no printable character are dots. */
const asciiOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');

function Bytes({ bytes }: { bytes: Uint8Array }) {
  if (bytes.length === 0) return <Text size="sm">No payload.</Text>;
  const views = [
    ['Hex', bytes.toHex()],
    ['Base64', bytes.toBase64()],
    ['ASCII', asciiOf(bytes)],
  ] as const;
  return (
    <dl className={classes.views}>
      {views.map(([name, text]) => (
        <Group key={name} gap={8} wrap="nowrap">
          <dt>{name}</dt>
          <dd className={classes.payload}>{text}</dd>
          {name !== 'ASCII' && <CopyButton value={text} label={`Copy as ${name.toLowerCase()}`} />}
        </Group>
      ))}
    </dl>
  );
}
