import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { queryClient } from '../../api/query-client.ts';
import { renderPage } from '../../testing/render.tsx';
import { JobDialog } from './job-dialog.tsx';
import { unfinishedJobs } from './unfinished-jobs.ts';

const { create, rehearse } = vi.hoisted(() => ({
  create: vi.fn(async (_request: object) => ({ job: { id: 'j', organizationID: '1' } })),
  rehearse: vi.fn(async (_request: object): Promise<object> => ({})),
}));
vi.mock('../../api/client.ts', () => ({ ApiError: class extends Error {}, api: { job: { create } } }));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => call,
  query: (resource: string, verb: string, request: object) => ({
    queryKey: [resource, verb, request],
    queryFn: () => (resource === 'job' ? rehearse(request) : { result: [{ id: '9', name: 'greenhouse' }] }),
  }),
}));

// Outside of the shell, toasts have no router for their links.
vi.mock('../toast/toast.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  toast: { success: vi.fn() },
}));

const scope = { organizationID: '1' };
const matching = { search: 'lamp', filter: ['state:is:inactive'], total: 200, except: new Set(['c']) };
const open = (kind: 'DELETE_DEVICES' | 'MOVE_DEVICES', selection: object) => {
  const close = vi.fn();
  const drop = vi.fn();
  const shown = { chosen: new Map([['a', {}]]), matching: undefined, count: 1, drop, ...selection };
  return renderPage(<JobDialog kind={kind} selection={shown} scope={scope} onClose={close} />).then(() => ({
    close,
    drop,
  }));
};

it('says what would be refused and why, and starts with the rest', async () => {
  const refused = [
    {
      reason: 'OTHER_SERVICE_PROFILE',
      message: 'Another service-profile.',
      count: 83,
      sample: [{ subject: 'e', name: 'lamp e' }],
    },
  ];
  rehearse.mockResolvedValueOnce({ count: 199, acceptedCount: 116, refused });
  const { close, drop } = await open('MOVE_DEVICES', { matching, count: 199 });
  const user = userEvent.setup();
  const start = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Start/ });
  expect(start().disabled).toBe(true);
  await user.click(await screen.findByRole('combobox', { name: 'Application' }));
  await user.click(await screen.findByRole('option', { name: 'greenhouse', hidden: true }));
  expect(await screen.findByText('199 devices: 116 can be moved, 83 cannot.')).toBeTruthy();
  expect(screen.getByText('83: Another service-profile.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Start with 116 devices' }));
  await waitFor(() => expect(close).toHaveBeenCalledOnce());
  expect(drop).toHaveBeenCalledOnce();
  // It may have ended before the list is read again.
  expect(queryClient.getQueryData(unfinishedJobs('1').queryKey)).toMatchObject({ result: [{ id: 'j' }] });
  expect(create.mock.calls[0]![0]).toMatchObject({
    organizationID: '1',
    kind: 'MOVE_DEVICES',
    action: { applicationID: '9' },
    selection: { search: 'lamp', filter: ['state:is:inactive'], except: ['c'] },
  });
});

it('wants the number of more than 100 deletions typed', async () => {
  rehearse.mockResolvedValueOnce({ count: 101, acceptedCount: 101, refused: [] });
  await open('DELETE_DEVICES', {});
  const user = userEvent.setup();
  const field = await screen.findByRole('textbox', { name: 'Type 101 to confirm' });
  const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Start with 101 devices' });
  expect(start.disabled).toBe(true);
  await user.type(field, '101');
  expect(start.disabled).toBe(false);
});
