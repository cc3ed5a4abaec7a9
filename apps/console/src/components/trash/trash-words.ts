import type { TrashCount, TrashedName } from '@hilltop/contract';

/** Each kind of deleted records in the singular. */
export const trashNouns: Readonly<Record<TrashedName, string>> = {
  DEVICE: 'device',
  GATEWAY: 'gateway',
  DEVICE_PROFILE: 'device-profile',
  SERVICE_PROFILE: 'service-profile',
  APPLICATION: 'application',
  ORGANIZATION: 'organization',
  MULTICAST_GROUP: 'multicast-group',
  INTEGRATION: 'integration',
};

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** "132 devices and 2 integrations"; empty for none. */
export const listed = (counts: readonly (readonly [noun: string, count: number])[]): string =>
  list.format(counts.filter(([, count]) => count > 0).map(([noun, count]) => counted(count, noun)));

/** The contents of an entry without the record itself. */
export const contentsOf = (contents: readonly TrashCount[], itself: TrashedName): string =>
  listed(
    contents.map(({ kind, count }) => [trashNouns[kind], kind === itself ? Math.max(0, count - 1) : count] as const),
  );
