/**
 * Several instances share what is to be delivered by slots, of which one instance at a time has each. All integrations
 * of an application are in one.
 */
const count = 16;

export const allSlots: readonly number[] = Array.from({ length: count }, (_, slot) => slot);

/** Undefined stands for the installation. */
export const slotOf = (applicationID: number | undefined): number => (applicationID ?? 0) % count;

/** The lease by which instances of earlier versions deliver everything: until they have ended nobody takes a slot. */
export const wholeLease = 'deliveries';

/** The lease of who delivers what is in the slot. */
export const leaseOf = (slot: number): string => `deliveries ${slot}`;
