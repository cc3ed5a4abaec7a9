import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { MapLegend } from './map-legend.tsx';

it('abbreviates thousands like the doughnuts above', () => {
  const points = Array.from({ length: 9999 }, () => ({ tone: 'never' as const }));
  render(<MapLegend points={points} hidden={[]} toggle={() => undefined} />, { wrapper: MantineProvider });
  expect(screen.getByRole('checkbox', { name: 'Never seen: 9,999' })).toBeDefined();
});
