import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ModelSearch } from './model-search.tsx';

const model = {
  id: 'acme:thermo',
  source: 'CATALOGUE',
  vendor: 'Acme',
  name: 'Thermo',
  description: 'Temperature',
  vendorID: 1,
  regions: ['EU868'],
  vectorCount: 3,
  passCount: 2,
};
const ask = vi.fn<(request: { search: string }) => Promise<unknown>>();
vi.mock('../../api/queries.ts', () => ({
  query: (resource: string, verb: string, request: { search: string }) => ({
    queryKey: [resource, verb, request],
    queryFn: () => ask(request),
  }),
}));

describe('the search of the device library', () => {
  beforeEach(() => ask.mockReset());

  it('shows models with their regions and test vectors, and reports the chosen one', async () => {
    ask.mockResolvedValue({ totalCount: '30', result: [model] });
    const onSelect = vi.fn();
    await renderPage(<ModelSearch onSelect={onSelect} />);
    const found = await screen.findByRole('button', { name: /^Acme Thermo/ });
    expect(found.textContent).toContain('EU868 · 2 of 3 vectors pass · Temperature');
    expect(screen.getByText('1 of 30 models. Type more to narrow the search.')).toBeDefined();
    await userEvent.setup().click(found);
    expect(onSelect).toHaveBeenCalledWith(model);
  });

  it('asks for what was typed', async () => {
    ask.mockResolvedValue({ totalCount: '0', result: [] });
    await renderPage(<ModelSearch onSelect={() => {}} />);
    await userEvent.setup().type(screen.getByLabelText('Search the device library'), ' acme ');
    await vi.waitFor(() => expect(ask).toHaveBeenCalledWith(expect.objectContaining({ search: 'acme' })));
    expect(await screen.findByText('Not in the library')).toBeDefined();
  });

  it('offers another try after a failure', async () => {
    ask.mockRejectedValueOnce(new Error('no connection'));
    ask.mockResolvedValue({ totalCount: '1', result: [model] });
    await renderPage(<ModelSearch onSelect={() => {}} />);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: /^Acme Thermo/ })).toBeDefined();
  });
});
