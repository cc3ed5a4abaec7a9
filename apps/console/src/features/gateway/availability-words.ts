/** How a gateway was in a time, in seconds. */
export interface AvailabilityShares {
  readonly online: number;
  readonly offline: number;
  readonly stopped: number;
}

export type AvailabilityTone = 'online' | 'part' | 'offline' | 'stopped' | 'unknown';

/** The tone of a cell: a server that was stopped for most of the time hides what the gateway did. */
export function availabilityTone({ online, offline, stopped }: AvailabilityShares): AvailabilityTone {
  if (online + offline + stopped === 0) return 'unknown';
  if (stopped >= online + offline) return 'stopped';
  if (offline === 0) return 'online';
  return online === 0 ? 'offline' : 'part';
}

/** "90 s", "5 min", "3 h 20 min", "2 days 4 h". */
export function lengthText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const text = (large: number, unit: string, small: number, smallUnit: string) =>
    small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
  if (hours < 24) return text(hours, 'h', minutes % 60, 'min');
  const days = Math.floor(hours / 24);
  return text(days, days === 1 ? 'day' : 'days', hours % 24, 'h');
}

/** "99.2 %"; less than all is never rounded to 100 %, more than nothing never to 0 %. */
export function shareText(share: number): string {
  if (share === 1) return '100 %';
  if (share === 0) return '0 %';
  return `${Math.min(99.9, Math.max(0.1, share * 100)).toFixed(1)} %`;
}

/** "97.9 % online, offline for 30 min". */
export function availabilityText(shares: AvailabilityShares): string {
  const { online, offline, stopped } = shares;
  const facts = [
    online + offline > 0 && `${shareText(online / (online + offline))} online`,
    offline > 0 && `offline for ${lengthText(offline)}`,
    stopped > 0 && `server stopped for ${lengthText(stopped)}`,
  ].filter(Boolean);
  return facts.length === 0 ? 'not known' : facts.join(', ');
}
