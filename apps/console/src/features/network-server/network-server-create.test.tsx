import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { saveReturnPath } from '../../components/return-path/return-path.ts';
import { renderPage } from '../../testing/render.tsx';
import { NetworkServerCreate } from './network-server-create.tsx';

vi.mock('../../api/client.ts', () => ({
  ApiError: class extends Error {},
  api: { radio: { create: async () => ({ id: '7' }) } },
}));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => call,
  query: (...key: unknown[]) => ({
    queryKey: key,
    queryFn: async () => ({ result: [{ name: 'EU868', subBands: 0 }] }),
  }),
}));

it('returns to the form that needs it after creating an embedded network-server', async () => {
  history.replaceState(null, '', '/organizations/1/device-profiles/create');
  const { router } = await renderPage(<NetworkServerCreate />, `/network-servers/create?for=${saveReturnPath()}`);
  const user = userEvent.setup();
  await user.click(screen.getByText('Inside Hilltop'));
  await user.type(await screen.findByRole('textbox', { name: /^Name|name$/i }), 'here');
  await user.click(screen.getByRole('combobox', { name: /Region/ }));
  await user.click(await screen.findByRole('option', { name: 'EU868', hidden: true }));
  await user.click(screen.getByRole('button', { name: 'Add network-server' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/organizations/1/device-profiles/create'));
});
