/** The most failed checks in a row: half a minute, with a check every two seconds. */
const mostFailedChecks = 15;
const mostHeld = 1_000;

/**
 * Handles a database outage in an open stream: the rights of the viewer cannot be checked. The stream stays open and
 * holds back its items, because thousands of clients that reconnect at once would overload the server.
 */
export function createRightsGrace(show: (item: object) => void, dropped: () => void) {
  let held: object[] | undefined;
  let failedChecks = 0;
  return {
    /** Shows the item, or holds it back while the right is unknown. */
    pass: (item: object): void => {
      if (!held) show(item);
      else if (held.length < mostHeld) held.push(item);
      else dropped();
    },
    /** Call it when a check failed because storage is unavailable. False: too many failed in a row, end the stream. */
    mayGoOn: (): boolean => {
      held ??= [];
      failedChecks += 1;
      return failedChecks <= mostFailedChecks;
    },
    /** Call it when a check has confirmed the right: shows the held items. */
    end: (): void => {
      const items = held ?? [];
      held = undefined;
      failedChecks = 0;
      items.forEach(show);
    },
  };
}
