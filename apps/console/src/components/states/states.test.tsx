import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { ErrorState } from './states.tsx';

const show = (error: ApiError) => renderPage(<ErrorState error={error} retry={() => {}} />);

it('shows the text of a failure and offers to try again', async () => {
  await show(new ApiError('It broke.', 13, 500));
  expect(screen.getByText('It broke. (code: 13)')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

it('names a missing permission in plain words, without an offer to try again', async () => {
  await show(new ApiError('You have no permission for this.', 7, 403));
  expect(screen.getByText('No permission')).toBeTruthy();
  expect(screen.queryByText(/code: 7/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});
