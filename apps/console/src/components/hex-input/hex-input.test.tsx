import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { HexInput, type HexInputProps } from './hex-input.tsx';

let value = '';
const report = (next: string) => {
  value = next;
};

function Harness({ initial, ...props }: Partial<HexInputProps> & { initial: string }) {
  const [held, setHeld] = useState(initial);
  const hold = (next: string) => {
    report(next);
    setHeld(next);
  };
  return <HexInput label="Device EUI" bytes={8} {...props} value={held} onChange={hold} />;
}

function open(initial: string, props: Partial<HexInputProps> = {}) {
  value = initial;
  render(
    <MantineProvider>
      <Harness initial={initial} {...props} />
    </MantineProvider>,
  );
  return {
    field: screen.getByLabelText<HTMLInputElement>('Device EUI', { selector: 'input' }),
    user: userEvent.setup(),
  };
}

describe('the hex input', () => {
  it('keeps the caret position while typing in the middle', async () => {
    const { field, user } = open('0145');
    await user.click(field);
    field.setSelectionRange(2, 2);
    await user.keyboard('23');
    expect(field.value).toBe('01 23 45');
    await user.keyboard('z9');
    expect(field.value).toBe('01 23 94 5');
    expect(value).toBe('0123945');
  });

  it('shows, accepts and pastes reversed bytes in LSB order, and always returns MSB', async () => {
    const { field, user } = open('0102030405060708');
    await user.click(screen.getByRole('button', { name: 'Byte order MSB' }));
    expect(field.value).toBe('08 07 06 05 04 03 02 01');
    expect(screen.getByRole('button', { name: 'More about MSB and LSB' })).toBeTruthy();
    expect(value).toBe('0102030405060708');
    await user.clear(field);
    await user.type(field, '11223344');
    expect(field.value).toBe('11 22 33 44');
    expect(value).toBe('44332211');
    await user.click(field);
    await user.paste('a1 a2 a3 a4 a5 a6 a7 a8');
    expect(value).toBe('a8a7a6a5a4a3a2a1');
    await user.click(screen.getByRole('button', { name: 'Byte order LSB' }));
    expect(field.value).toBe('a8 a7 a6 a5 a4 a3 a2 a1');
  });

  it('counts the bytes of an incomplete value and marks it on blur, without a layout shift', async () => {
    const { field, user } = open('');
    await user.type(field, '0102');
    expect(field.getAttribute('aria-invalid')).toBeNull();
    await user.tab();
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('4/16 digits');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('treats dropped, scanned and auto-filled text like a paste', async () => {
    const { field, user } = open('01');
    const drop = (text: string) => fireEvent.change(field, { target: { value: text } });
    drop('0x0A, 0x1B, 0x2C, 0x3D, 0x4E, 0x5F, 0x60, 0xF3');
    expect(value).toBe('0A1B2C3D4E5F60F3');
    drop('0A1B2C3D4E5F60F300');
    expect(screen.getByRole('alert').textContent).toMatch(/has \d+ digits; this takes 16/);
    expect(field.value).toBe('0A 1B 2C 3D 4E 5F 60 F3');
    await user.clear(field);
    await user.type(field, '0x0a1b2c3d4e5f60f3');
    expect(value).toBe('0a1b2c3d4e5f60f3');
  });

  it('says why a paste was refused and keeps the value', async () => {
    const { field, user } = open('01');
    await user.click(field);
    await user.paste('no hex here');
    expect(screen.getByRole('alert').textContent).toMatch(/not hexadecimal/);
    expect(value).toBe('01');
  });

  it('hides and locks a stored key until it is revealed', async () => {
    const key = '000102030405060708090a0b0c0d0e0f';
    const { field, user } = open(key, { bytes: 16, secret: true, random: true });
    expect(field.value).not.toMatch(/[0-9a-f]/);
    expect(screen.queryByRole('button', { name: 'Random value' })).toBeNull();
    await user.type(field, 'ff');
    expect(value).toBe(key);
    await user.click(screen.getByRole('button', { name: 'Reveal' }));
    expect(field.value).toBe('00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f');
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    expect(value).toMatch(/^[0-9a-f]{32}$/);
    expect(value).not.toBe(key);
  });

  for (const locked of [{ disabled: true }, { readOnly: true }]) {
    it(`promises to unlock nothing that is ${Object.keys(locked)[0]}`, async () => {
      const { field, user } = open('000102030405060708090a0b0c0d0e0f', { bytes: 16, secret: true, ...locked });
      await user.click(screen.getByRole('button', { name: 'Reveal' }));
      expect(field.value).toMatch(/^00 01 02/);
      expect(screen.getByRole('button', { name: 'Hide' })).toBeTruthy();
    });
  }

  it('uses the given call for a random value and survives its failure', async () => {
    const answers = [async () => '01abcdef', async () => Promise.reject(new Error('down'))];
    const { user } = open('', { bytes: 4, random: async () => answers.shift()?.() ?? '' });
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    expect(value).toBe('01abcdef');
    await user.click(screen.getByRole('button', { name: 'Random value' }));
    expect(value).toBe('01abcdef');
  });
});
