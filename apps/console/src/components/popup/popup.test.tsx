import { Button, MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { Popup } from './popup.tsx';

it('closes with Escape and by a click outside', async () => {
  const user = userEvent.setup();
  render(
    <MantineProvider env="test">
      <Popup label="Filter" trigger={(props) => <Button {...props}>Open</Button>}>
        {() => <button type="button">inside</button>}
      </Popup>
      <p>outside</p>
    </MantineProvider>,
  );
  const open = async () => {
    await user.click(screen.getByRole('button', { name: 'Open' }));
    await user.click(await screen.findByRole('button', { name: 'inside' }));
  };
  const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await open();
  await user.keyboard('{Escape}');
  await isClosed();
  await open();
  await user.click(screen.getByText('outside'));
  await isClosed();
});
