import { act, render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { loadedLater } from './loaded-later.tsx';

const Greeting = ({ name }: { name: string }) => <p>{`Hello ${name}`}</p>;
const waiting = <p>Loading</p>;

class Boundary extends Component<{ children: ReactNode }, { text: string }> {
  override state = { text: '' };
  static getDerivedStateFromError = ({ message }: Error) => ({ text: message });
  override render = () => this.state.text || this.props.children;
}

describe('a component whose code arrives later', () => {
  it('is rendered at once when its code is there', async () => {
    const Later = loadedLater(() => Promise.resolve(Greeting), waiting);
    await Later.load();
    render(<Later name="hilltop" />);
    expect(screen.getByText('Hello hilltop')).toBeDefined();
  });

  it('shows something else until its code is there, and no longer', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof Greeting>();
    const Later = loadedLater(() => promise, waiting);
    render(<Later name="hilltop" />);
    expect(screen.getByText('Loading')).toBeDefined();
    await act(async () => resolve(Greeting));
    expect(screen.getByText('Hello hilltop')).toBeDefined();
    expect(screen.queryByText('Loading')).toBeNull();
  });

  it('passes a failure to the error boundary', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const Later = loadedLater<{ name: string }>(() => Promise.reject(new Error('no connection')), waiting);
    render(
      <Boundary>
        <Later name="hilltop" />
      </Boundary>,
    );
    expect(await screen.findByText('no connection')).toBeDefined();
    vi.restoreAllMocks();
  });
});
