const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** A key as labelled on this keyboard: `mod+k` is `Ctrl K` or `⌘ K`. */
export const keyLabel = (key: string): string =>
  key
    .split('+')
    .map((part) => (part === 'mod' ? (isApple ? '⌘' : 'Ctrl') : part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
