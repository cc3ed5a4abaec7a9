/** So often in a row the right may not be known: half a minute, as it is looked at every two seconds. */
const mostLooksInVain = 15;
const mostHeld = 1_000;

/**
 * While the database is away nobody can say whether who watches may still do so. The stream stays open and shows nothing
 * meanwhile: thousands that end and come again at once are a blow of their own.
 */
export function createRightsGrace(show: (item: object) => void, dropped: () => void) {
  let held: object[] | undefined;
  let looks = 0;
  return {
    /** Shows the item, or keeps it while there is a doubt. */
    pass: (item: object): void => {
      if (!held) show(item);
      else if (held.length < mostHeld) held.push(item);
      else dropped();
    },
    /** One more look found nobody who knows. False: that was one too many. */
    mayGoOn: (): boolean => {
      held ??= [];
      looks += 1;
      return looks <= mostLooksInVain;
    },
    /** The right is there: what was kept is shown. */
    end: (): void => {
      const items = held ?? [];
      held = undefined;
      looks = 0;
      items.forEach(show);
    },
  };
}
