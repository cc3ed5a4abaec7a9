const onlineMs = 5 * 60 * 1000;

/** Whether a gateway was seen within the last five minutes, longer ago, or never. */
export function gatewayTone(lastSeenAt: string | null, nowMs: number): 'active' | 'inactive' | 'never' {
  if (lastSeenAt === null) return 'never';
  return nowMs - Date.parse(lastSeenAt) <= onlineMs ? 'active' : 'inactive';
}

export const toneWords = { active: 'Online', inactive: 'Offline', never: 'Never seen' } as const;

/** In display order. */
export const gatewayTones = Object.keys(toneWords) as (keyof typeof toneWords)[];
