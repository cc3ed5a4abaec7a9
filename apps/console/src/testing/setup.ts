import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
// Screens run inside the shell, which loads the facts of the contract.
import '../api/contract-facts.ts';

// A screen appears when its chunk is loaded, however slow the machine is.
configure({ asyncUtilTimeout: 20_000 });

vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener() {},
  removeEventListener() {},
}));
vi.stubGlobal('scrollTo', () => {});
Element.prototype.scrollIntoView = () => {};
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

afterEach(cleanup);
