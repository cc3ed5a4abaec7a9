import { expect, it, vi } from 'vitest';
import { resources } from '../api/contract-facts.ts';
import { renderPage } from '../testing/render.tsx';
import { useFetchAhead } from './use-fetch-ahead.ts';

const { preload } = vi.hoisted(() => ({ preload: vi.fn<(...resources: string[]) => Promise<void>>(async () => {}) }));
vi.mock(import('../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { preload } as unknown as typeof client.api };
});

it('loads one service definition per idle period', async () => {
  const turns: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (turn: () => void) => turns.push(turn));
  const Page = () => {
    useFetchAhead();
    return null;
  };
  await renderPage(<Page />);
  for (let asked = 0; asked < resources.length; asked++) {
    await vi.waitFor(() => expect(turns).toHaveLength(1));
    expect(preload).toHaveBeenCalledTimes(asked);
    turns.pop()!();
  }
  await vi.waitFor(() => expect(preload.mock.calls).toEqual([...resources].map((resource) => [resource])));
});
