/** The code of a screen could not be fetched: the server is unreachable, or a new version has replaced the file. */
export class ScreenFailure extends Error {
  constructor(cause: unknown) {
    super('This page could not be loaded. The server may be restarting or may have a new version.', { cause });
    this.name = 'ScreenFailure';
  }
}

/** Reloads the console if its server answers; returns false otherwise, and the current page stays. */
export async function reloadConsole(): Promise<boolean> {
  const answers = await fetch('/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (answers) location.reload();
  return answers;
}
