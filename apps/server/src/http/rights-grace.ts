/** So many checks in a row may fail: half a minute, with a check every two seconds. */
const mostFailedChecks = 15;
const mostHeld = 1_000;

/**
 * While the database is away nobody can tell whether the viewer still has the right. The stream stays open and holds its
 * items: thousands of clients that reconnect at once would be a load of their own.
 */
export function createRightsGrace(show: (item: object) => void, dropped: () => void) {
  let held: object[] | undefined;
  let failedChecks = 0;
  return {
    /** Shows the item, or holds it while the right is not known. */
    pass: (item: object): void => {
      if (!held) show(item);
      else if (held.length < mostHeld) held.push(item);
      else dropped();
    },
    /** A check failed because storage is away. False: too many failed in a row, end the stream. */
    mayGoOn: (): boolean => {
      held ??= [];
      failedChecks += 1;
      return failedChecks <= mostFailedChecks;
    },
    /** A check has confirmed the right: shows the held items. */
    end: (): void => {
      const items = held ?? [];
      held = undefined;
      failedChecks = 0;
      items.forEach(show);
    },
  };
}
