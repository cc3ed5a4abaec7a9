import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { describe, expect, it } from 'vitest';
import { loadedLater } from './loaded-later.tsx';

const Greeting = ({ name }: { name: string }) => <p>{`Hello ${name}`}</p>;
const shown = (Later: typeof Greeting) =>
  render(
    <Suspense fallback={<p>Loading</p>}>
      <Later name="hilltop" />
    </Suspense>,
  );

describe('a component whose code arrives later', () => {
  it('is rendered at once when its code is there', async () => {
    const Later = loadedLater(() => Promise.resolve(Greeting));
    await Later.load();
    shown(Later as typeof Greeting);
    expect(screen.getByText('Hello hilltop')).toBeDefined();
  });

  it('shows the fallback until its code is there', async () => {
    const Later = loadedLater(() => Promise.resolve(Greeting));
    shown(Later as typeof Greeting);
    expect(screen.getByText('Loading')).toBeDefined();
    expect(await screen.findByText('Hello hilltop')).toBeDefined();
  });
});
