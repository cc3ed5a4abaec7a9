import { act, render, screen } from '@testing-library/react';
import { useRef } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useInView } from './use-in-view.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function Example({ isPlaced = true }) {
  const element = useRef<HTMLElement>(null);
  return <section ref={element}>{useInView(element, isPlaced) ? 'seen' : 'not yet'}</section>;
}

function standAt(top: number) {
  let see: (entries: { isIntersecting: boolean }[]) => void = () => {};
  const disconnect = vi.fn();
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ top } as DOMRect);
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(callback: typeof see) {
        see = callback;
      }
      observe() {}
      disconnect() {
        disconnect();
      }
    },
  );
  return { see: (isIntersecting: boolean) => act(() => see([{ isIntersecting }])), disconnect };
}

it('is true at once for an element in the viewport', () => {
  standAt(innerHeight - 1);
  render(<Example />);
  expect(screen.getByText('seen')).toBeTruthy();
});

it('is undecided until its position is final', () => {
  standAt(0);
  const { rerender } = render(<Example isPlaced={false} />);
  expect(screen.getByText('not yet')).toBeTruthy();
  rerender(<Example />);
  expect(screen.getByText('seen')).toBeTruthy();
});

it('becomes true when an element below enters the viewport, and stays true', () => {
  const { see, disconnect } = standAt(innerHeight + 1);
  render(<Example />);
  expect(screen.getByText('not yet')).toBeTruthy();
  see(false);
  expect(screen.getByText('not yet')).toBeTruthy();
  see(true);
  expect(screen.getByText('seen')).toBeTruthy();
  expect(disconnect).toHaveBeenCalled();
});
