import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { TestResult } from './test-delivery.tsx';

const delivered = {
  delivered: true,
  status: 200,
  message: '',
  milliseconds: 39,
  eventID: 'e',
  isMadeUp: true,
  requests: 1,
  sent: 'POST https://example.org/events',
  excerpt: '',
};

for (const [what, change, texts] of [
  ['what was delivered, and that it was made up', {}, ['Delivered · Status 200 · 39 ms · an example event']],
  [
    'what to do about a refusal, and what came back',
    { delivered: false, status: 401, message: 'The endpoint answered 401.', excerpt: 'Who are you?' },
    ['Not delivered · Status 401', 'The endpoint answered 401.', 'rejects the credentials', 'Who are you?'],
  ],
  ['that nothing came back', { delivered: false, status: 0 }, ['Not delivered · 39 ms', 'No response']],
  ['that nothing was sent', { status: 0, requests: 0, sent: '' }, ['Nothing was sent', 'has no address for it']],
] as const)
  it(`shows ${what}`, async () => {
    await renderPage(
      <main>
        <TestResult result={{ ...delivered, ...change }} />
      </main>,
    );
    const notice = await within(screen.getByRole('main')).findByRole('status');
    for (const text of texts) expect(notice.textContent).toContain(text);
  });

it('gives no advice about responses when the request was refused before it was sent', async () => {
  const message = 'Port 9 of 127.0.0.1 is no port of web servers. Give another one.';
  await renderPage(
    <main>
      <TestResult result={{ ...delivered, delivered: false, status: 0, requests: 0, sent: '', message }} />
    </main>,
  );
  const notice = await within(screen.getByRole('main')).findByRole('status');
  expect(notice.textContent).toContain(message);
  expect(notice.textContent).not.toContain('No response');
});
