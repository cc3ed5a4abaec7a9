/** "9 of 9 vectors pass"; empty without test vectors. */
export function vectorsText({ vectorCount, passCount }: { vectorCount: number; passCount: number }): string {
  if (vectorCount === 0) return '';
  return `${passCount} of ${vectorCount} ${vectorCount === 1 ? 'vector passes' : 'vectors pass'}`;
}
