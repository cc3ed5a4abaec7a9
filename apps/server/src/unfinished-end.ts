/**
 * Reports a process that ends because nothing is under way any more, though its program still waits: without this, Node
 * ends with status 13 and no reason. Programs that have finished call `process.exit`.
 */
export function reportUnfinishedEnd(): void {
  process.once('beforeExit', () => {
    console.error(
      'Hilltop ends before its work is done: a part of it waits for an event that cannot come. Start it again.',
    );
    process.exit(1);
  });
}
