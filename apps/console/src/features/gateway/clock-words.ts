const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "2,884 days behind", "3 seconds ahead": the difference between the clocks of gateway and server, in seconds. */
export function clockWords(offset: number): string {
  const seconds = Math.round(Math.abs(offset));
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? units[3];
  const amount = Math.floor(seconds / size);
  return `${amount.toLocaleString('en')} ${unit}${amount === 1 ? '' : 's'} ${offset < 0 ? 'behind' : 'ahead'}`;
}
