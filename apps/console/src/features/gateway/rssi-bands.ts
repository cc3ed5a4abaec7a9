/** Bands of signal strength in dBm, strongest first, with the colours of the discovery map. */
export const rssiBands = [
  { from: -100, color: '#FF0000' },
  { from: -105, color: '#FF7F00' },
  { from: -110, color: '#FFFF00' },
  { from: -115, color: '#00FF00' },
  { from: -120, color: '#00FFFF' },
] as const;

export const weakestColor = '#4A6CFF';

export function colorOfRssi(rssi: number): string {
  return rssiBands.find((band) => rssi >= band.from)?.color ?? weakestColor;
}
