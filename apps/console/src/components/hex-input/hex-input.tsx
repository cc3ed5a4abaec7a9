import { ActionIcon, Input, Loader, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCopy, IconDice5, IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { copyText } from '../copy/copy.tsx';
import { Menu, MenuItem } from '../menu/menu.tsx';
import { toast } from '../toast/toast.ts';
import { Explained } from '../words/explained.tsx';
import { words } from '../words/words.ts';
import classes from './hex-input.module.css';
import { type ByteOrder, copyFormats, inOrder, randomHex, spacedPairs } from './hex-value.ts';
import { useHexEditing } from './use-hex-editing.ts';

export interface HexInputProps {
  label: string;
  /** Length of a complete value: 4 for addresses, 8 for EUIs, 16 for keys. */
  bytes: number;
  /** Hex digits MSB first, no spaces; shorter than complete while being typed. */
  value: string;
  onChange: (value: string) => void;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  /** A key: hidden and locked until revealed; an empty one starts revealed. */
  secret?: boolean;
  /** Offers a random value, from the browser or from the given call. */
  random?: boolean | (() => Promise<string>);
  id?: string;
  className?: string;
  name?: string;
  onBlur?: () => void;
}

/**
 * A field of hex bytes, shown as spaced pairs. The byte order affects only display, typing, pasting and copying: the
 * value is always MSB, and the order is MSB again each time the page opens.
 */
export function HexInput(props: HexInputProps) {
  const { label, bytes, value, description, required = false, disabled = false, secret = false } = props;
  const ownID = useId();
  const id = props.id ?? ownID;
  const [order, setOrder] = useState<ByteOrder>('MSB');
  const [isRevealed, setRevealed] = useState(!secret || value === '');
  const [wasLeft, setWasLeft] = useState(false);
  const isFixed = disabled || props.readOnly === true;
  const isLocked = isFixed || !isRevealed;
  const shown = inOrder(value, order);
  const editing = useHexEditing({
    shown,
    bytes,
    onDigits: (digits) => props.onChange(inOrder(digits, order)),
  });
  const isUnfinished = isRevealed && value !== '' && value.length < bytes * 2;
  const error = props.error ?? editing.problem;
  const isWrong = Boolean(error) || (isUnfinished && wasLeft);
  const described = [description && `${id}-description`, isUnfinished && `${id}-count`, error && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div role="group" aria-label={label} className={props.className}>
      <Input.Label htmlFor={id} required={required}>
        {label}
      </Input.Label>
      <div className={classes.row}>
        <Input
          id={id}
          name={props.name}
          className={classes.field ?? ''}
          classNames={{ input: classes.input ?? '' }}
          style={{ '--hex-characters': bytes * 3 - 1 }}
          value={isRevealed ? spacedPairs(shown) : value.replace(/../g, '•• ').trimEnd()}
          error={isWrong}
          attributes={{ input: { 'aria-describedby': described.join(' ') || undefined } }}
          rightSection={isUnfinished && <Count id={`${id}-count`} digits={value.length} of={bytes * 2} />}
          rightSectionWidth={isUnfinished ? 56 : 0}
          aria-required={required || undefined}
          readOnly={isLocked && !disabled}
          disabled={disabled}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-1p-ignore
          placeholder={isRevealed ? spacedPairs('0'.repeat(bytes * 2)) : ''}
          {...(isLocked ? {} : editing.handlers)}
          onBlur={() => {
            setWasLeft(true);
            props.onBlur?.();
          }}
        />
        <span className={classes.tools}>
          <OrderButton order={order} onChange={setOrder} />
          {secret && <RevealButton isRevealed={isRevealed} onChange={setRevealed} />}
          <CopyMenu digits={shown} isWhole={value.length === bytes * 2} />
          {props.random && !isLocked && (
            <RandomButton
              source={props.random === true ? async () => randomHex(bytes) : props.random}
              onValue={props.onChange}
            />
          )}
        </span>
      </div>
      {error && (
        <Input.Error id={`${id}-error`} mt={4} role="alert">
          {error}
        </Input.Error>
      )}
      {order === 'LSB' && <Explained word="byteOrder" />}
      {description && (
        <Input.Description id={`${id}-description`} mt={4}>
          {description}
        </Input.Description>
      )}
    </div>
  );
}

/** The progress of a value. It is inside the field, so that its appearance does not shift the layout. */
function Count({ id, digits, of }: { id: string; digits: number; of: number }) {
  return (
    <span id={id} className={classes.count}>
      {digits}/{of}
      <VisuallyHidden> digits</VisuallyHidden>
    </span>
  );
}

function OrderButton({ order, onChange }: { order: ByteOrder; onChange: (order: ByteOrder) => void }) {
  const other = order === 'MSB' ? 'LSB' : 'MSB';
  const reading = order === 'MSB' ? 'most' : 'least';
  return (
    <Tooltip
      multiline
      maw={320}
      label={`${words.byteOrder.is} Here the ${reading} significant one is first; switch to ${other}.`}
    >
      <UnstyledButton className={classes.order} aria-label={`Byte order ${order}`} onClick={() => onChange(other)}>
        {order}
      </UnstyledButton>
    </Tooltip>
  );
}

interface RevealButtonProps {
  isRevealed: boolean;
  onChange: (revealed: boolean) => void;
}

function RevealButton({ isRevealed, onChange }: RevealButtonProps) {
  const label = isRevealed ? 'Hide' : 'Reveal';
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label={label}
        aria-pressed={isRevealed}
        onClick={() => onChange(!isRevealed)}
      >
        {isRevealed ? <IconEyeOff size={16} /> : <IconEye size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

function CopyMenu({ digits, isWhole }: { digits: string; isWhole: boolean }) {
  const formats = copyFormats(digits);
  return (
    <Menu
      label="Copy as"
      side="left"
      trigger={(props) => (
        <ActionIcon variant="default" size="input-sm" aria-label="Copy" disabled={!isWhole} {...props}>
          <IconCopy size={16} />
        </ActionIcon>
      )}
    >
      <MenuItem onChoose={() => copyText(formats.string)}>Hex String</MenuItem>
      <MenuItem onChoose={() => copyText(formats.array)}>Hex Array</MenuItem>
    </Menu>
  );
}

function RandomButton({ source, onValue }: { source: () => Promise<string>; onValue: (value: string) => void }) {
  const [isBusy, setBusy] = useState(false);
  const fetchValue = async () => {
    setBusy(true);
    try {
      onValue(await source());
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Tooltip label="Random value">
      <ActionIcon variant="default" size="input-sm" aria-label="Random value" aria-busy={isBusy} onClick={fetchValue}>
        {isBusy ? <Loader size={14} /> : <IconDice5 size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
