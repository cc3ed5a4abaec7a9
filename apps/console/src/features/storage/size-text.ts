const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1.25 GB`, with thousands as the settings count. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${format.format(bytes / 1000 ** power)} ${units[power]}`;
}
