import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { KeptEnd } from './kept-end.tsx';

it.each([
  ['Temperature and humidity, LoRaWAN 1.0.3', ' 1.0.3'],
  ['Temperature and humidity, class B', ' class B'],
  ['temperature-sensor-basement-03', '-basement-03'],
  ['EM300-TH', null],
  ['a_name_without_spaces_that_is_long', null],
])('keeps the last words of %j: %j', (name, end) => {
  render(
    <p data-testid="name">
      <KeptEnd>{name}</KeptEnd>
    </p>,
  );
  const shown = screen.getByTestId('name');
  expect(shown.textContent).toBe(name);
  expect(shown.querySelector('[data-cut] + span')?.textContent ?? null).toBe(end);
});
