// What test files that share one process are loaded with.
import { after, before, test } from 'node:test';

/**
 * Loads the files, then lets their tests run, one file after the other. Whatever goes wrong fails the process: a file that
 * cannot be loaded is a failed test, and an end before the last test names the files that may have caused it.
 */
export async function loadTogether(files) {
  const loading = Promise.withResolvers();
  before(() => loading.promise);
  let isComplete = false;
  after(() => {
    isComplete = true;
  });
  process.on('exit', (code) => {
    if (isComplete) return;
    console.error(`The process ended with ${code} before the last test. It ran these files:\n${files.join('\n')}`);
    process.exitCode = 1;
  });
  for (const file of files) {
    try {
      await import(file);
    } catch (error) {
      test(`${file} is loaded`, () => {
        throw error;
      });
    }
  }
  loading.resolve();
}
