import { fireEvent, screen, within } from '@testing-library/react';
import { useCallback, useState } from 'react';
import { expect, it } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { ShortcutsKey } from './shortcuts-key.tsx';

function Page() {
  const [asked, setAsked] = useState(0);
  return (
    <>
      <input aria-label="Name" />
      <ShortcutsKey asked={asked} onAsk={useCallback(() => setAsked((times) => times + 1), [])} />
    </>
  );
}

it('lists the shortcuts of the console, of lists and of forms', async () => {
  await renderPage(<Page />);
  fireEvent.keyDown(document.body, { key: '?', shiftKey: true });
  const dialog = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }));
  const keysOf = (does: string) =>
    [...(dialog.getByText(does).parentElement?.querySelectorAll('kbd') ?? [])].map(({ textContent }) => textContent);
  expect(keysOf('Search or go to a page')).toEqual(['Ctrl K']);
  expect(keysOf('List the keyboard shortcuts')).toEqual(['?']);
  expect(keysOf('Search the list')).toEqual(['/']);
  expect(keysOf('Go to the next row')).toEqual(['↓']);
  expect(keysOf('Save and stay on the page')).toEqual(['Ctrl S']);
});

it('leaves a question mark that is typed into a field', async () => {
  await renderPage(<Page />);
  expect(fireEvent.keyDown(screen.getByLabelText('Name'), { key: '?', shiftKey: true })).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
});
