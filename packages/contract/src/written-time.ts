/** Proto3 JSON writes times with 0, 3, 6 or 9 digits of a second: whole seconds have none. */
export const writtenTime = (time: string): string => (time.endsWith('.000Z') ? `${time.slice(0, -5)}Z` : time);
