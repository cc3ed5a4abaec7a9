const otherwise = 'Use a photo of the code, or type what is printed.';

/** Why the browser gives no picture of the camera, and what to do. */
export function cameraProblem(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError') return `The browser may not use the camera. ${otherwise}`;
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return `No camera was found. ${otherwise}`;
  return `The camera does not work. ${otherwise}`;
}

/** Browsers give the camera to pages with HTTPS only. */
export function hasCamera(): boolean {
  return globalThis.navigator?.mediaDevices !== undefined;
}

export const needsHTTPS = `The camera needs HTTPS. ${otherwise}`;
