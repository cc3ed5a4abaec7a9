/** The code of a screen could not be fetched: the server is away for a moment, or a new version has replaced it. */
export class ScreenFailure extends Error {
  constructor(cause: unknown) {
    super('This page could not be fetched. The server may be restarting, or has a new version.', { cause });
    this.name = 'ScreenFailure';
  }
}

/** Loads the console anew once its server answers; false while it does not, and the page on show is kept. */
export async function reloadConsole(): Promise<boolean> {
  const answers = await fetch('/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (answers) location.reload();
  return answers;
}
