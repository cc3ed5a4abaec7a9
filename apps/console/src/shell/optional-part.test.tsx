import { render } from '@testing-library/react';
import { Suspense } from 'react';
import { expect, it } from 'vitest';
import { optionalPart } from './optional-part.ts';

it('shows the page without a part whose code cannot be loaded', async () => {
  const Missing = optionalPart(() => Promise.reject(new Error('the server is away')));
  const Loaded = optionalPart(() => Promise.resolve(() => <p>loaded</p>));
  const { findByText } = render(
    <Suspense>
      <p>page</p>
      <Missing />
      <Loaded />
    </Suspense>,
  );
  await findByText('loaded');
  expect(await findByText('page')).toBeDefined();
});
