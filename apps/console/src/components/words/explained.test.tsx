import { MantineProvider } from '@mantine/core';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { Explained } from './explained.tsx';
import { words } from './words.ts';

it('explains a term, and shows more about it and all other terms on demand', async () => {
  render(
    <MantineProvider env="test">
      <Explained word="eirp" />
    </MantineProvider>,
  );
  expect(screen.getByText(words.eirp.is, { exact: false })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'More about EIRP' }));
  const terms = within(await screen.findByRole('dialog')).getAllByRole('term');
  expect(terms.map(({ textContent }) => textContent)[0]).toBe('EIRP');
  expect(terms).toHaveLength(Object.keys(words).length);
});
