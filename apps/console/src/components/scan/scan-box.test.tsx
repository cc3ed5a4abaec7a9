import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ScanBox } from './scan-box.tsx';

const { decoder } = vi.hoisted(() => ({ decoder: { codes: async (): Promise<string[]> => [] } }));
vi.mock('./decode.ts', () => ({ codesIn: () => decoder.codes() }));

const code = 'LW:D0:24E124C0002A0001:24E124136B502217:01E61234';
const video = { stopped: 0 };

function Box() {
  const [text, setText] = useState('');
  return <ScanBox value={text} onChange={setText} />;
}

const box = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Code or label text' });
const givePhoto = () =>
  fireEvent.change(screen.getByLabelText('Photo of the code'), { target: { files: [new File(['x'], 'a.png')] } });

/** The answer of the browser to a page that asks for the camera; undefined without HTTPS. */
function giveCamera(getUserMedia: (() => Promise<unknown>) | undefined) {
  const mediaDevices = getUserMedia && { getUserMedia };
  Object.defineProperty(globalThis.navigator, 'mediaDevices', { value: mediaDevices, configurable: true });
}

beforeEach(() => {
  video.stopped = 0;
  HTMLMediaElement.prototype.play = async () => undefined;
  giveCamera(async () => ({
    getTracks: () => [
      {
        stop: () => {
          video.stopped += 1;
        },
      },
    ],
  }));
});

it('reads the code that the camera sees, prefers the one of a device, and stops the camera', async () => {
  decoder.codes = async () => ['https://example.com/manual', code];
  await renderPage(<Box />);
  await userEvent.click(screen.getByRole('button', { name: 'Use the camera' }));
  await waitFor(() => expect(box().value).toBe(code));
  expect(screen.queryByLabelText('Picture of the camera')).toBeNull();
  expect(video.stopped).toBe(1);
});

it('stops the camera when the user asks for it', async () => {
  decoder.codes = async () => [];
  await renderPage(<Box />);
  await userEvent.click(screen.getByRole('button', { name: 'Use the camera' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Stop the camera' }));
  await waitFor(() => expect(video.stopped).toBe(1));
  expect(screen.getByRole('button', { name: 'Use the camera' })).toBeTruthy();
});

it('stops the camera when a code is typed or read from a photo', async () => {
  await renderPage(<Box />);
  decoder.codes = async () => [];
  const start = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Use the camera' }));
    await screen.findByText('Looking for a code. Hold it between the corners.');
  };
  await start();
  await userEvent.type(box(), code);
  await waitFor(() => expect(video.stopped).toBe(1));
  await start();
  decoder.codes = async () => [code];
  givePhoto();
  await waitFor(() => expect(video.stopped).toBe(2));
  expect(screen.queryByLabelText('Picture of the camera')).toBeNull();
});

it('says why there is no camera, and keeps the photo and the box', async () => {
  for (const [name, sentence] of [
    ['NotAllowedError', /The browser may not use the camera/],
    ['NotFoundError', /No camera was found/],
    ['AbortError', /The camera does not work/],
  ] as const) {
    giveCamera(async () => Promise.reject(new DOMException('no', name)));
    const { unmount } = await renderPage(<Box />);
    await userEvent.click(screen.getByRole('button', { name: 'Use the camera' }));
    expect((await screen.findByText(sentence)).textContent).toContain('Use a photo');
    expect(screen.getByRole('button', { name: 'Use a photo' })).toBeTruthy();
    unmount();
  }
});

it('offers the photo and the box without HTTPS, and says that the camera needs it', async () => {
  giveCamera(undefined);
  await renderPage(<Box />);
  expect(screen.getByText(/The camera needs HTTPS/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the camera' })).toBeNull();
  decoder.codes = async () => [code];
  givePhoto();
  await waitFor(() => expect(box().value).toBe(code));
});

it('says what is wrong with a photo', async () => {
  await renderPage(<Box />);
  decoder.codes = async () => [];
  givePhoto();
  expect(await screen.findByText(/No code was found in the photo/)).toBeTruthy();
  decoder.codes = async () => Promise.reject(new Error('not an image'));
  givePhoto();
  expect(await screen.findByText(/This file cannot be read/)).toBeTruthy();
  expect(box().value).toBe('');
});
